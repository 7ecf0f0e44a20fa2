"""What is known of a change from the history before it, and its reuse for changes that landed after each other."""

from __future__ import annotations

from collections.abc import Sequence

from assay.validators.changes.landed import History, LandedChange
from assay.validators.changes.past_pulls import PastPull
from assay.validators.progress import Deadline
from assay.validators.report.likelihood import ObservedRate
from assay.validators.report.model import RiskLevel
from assay.validators.risk.likelihood.labels import OutcomeFinder, outcome_within
from assay.validators.risk.likelihood.model import NUM_AT_LEAST, WINDOW, Rate, shipped_model
from assay.validators.risk.likelihood.own_outcomes import OwnOutcomes
from assay.validators.risk.likelihood.past import YEAR_S, is_ordinary
from assay.validators.risk.likelihood.replay import Replay, replayed, source_files
from assay.validators.risk.likelihood.text_measures import TextMeasures

MOST_SCORED = 2 * WINDOW
"""Past changes that are scored: the last `WINDOW` of them were compared with a full window themselves."""
MOST_READ = 10_000
"""Commits whose messages and file lists are read; in a busier repository the features see less than a year."""
FIRST_READ = 2_000
NUM_FOR_A_RATE = 50
"""Past changes of a level with a full year after them, from which their own rate is given."""


class Known:
    """What the changes before the validated one tell: scores, file histories, and what became of each."""

    def __init__(self, begin: int, past_pulls: Sequence[PastPull], measured: dict[str, TextMeasures]) -> None:
        self._begin = begin
        self._outcomes = OutcomeFinder(past_pulls)
        self.replay = Replay(own=OwnOutcomes(shipped_model(), self._outcomes), measured=measured)
        self._levels: list[tuple[LandedChange, RiskLevel]] = []
        self._first = self._last = ""
        self._num = 0
        self.newest = 0

    def is_before(self, changes: Sequence[LandedChange], begin: int) -> bool:
        """Return whether this is what the first of these changes tell, scored from the same one on."""
        return (
            0 < self._num <= len(changes)
            and self._begin == begin
            and (self._first, self._last) == (changes[0].sha, changes[self._num - 1].sha)
        )

    def add(self, history: History, changes: Sequence[LandedChange], deadline: Deadline | None) -> None:
        """Add the changes after those that were added before, of which `changes` begin with all."""
        following = changes[self._num :]
        skipped = max(self._begin - self._num, 0)
        for change in following[:skipped]:
            self.replay.skip(change)
        for one in replayed(history, following[skipped:], self.replay):
            if deadline is not None:
                deadline.check("history")
            if one.is_ordinary and one.score.num_compared >= NUM_AT_LEAST:
                self._levels.append((one.change, self.replay.scorer.model.level(one.score.percentile)))
        if changes:
            self._first, self._last, self.newest = changes[0].sha, changes[-1].sha, changes[-1].time
        self._num = len(changes)

    def rate(self, level: RiskLevel) -> ObservedRate | None:
        """Return how often past changes of this level needed a fix within a year, if enough of them are that old."""
        old = [(change, own) for change, own in self._levels if change.time <= self.newest - YEAR_S]
        fixed = {
            change.sha for change, _ in old if outcome_within(self._outcomes.outcome(change.sha), change, YEAR_S)[0]
        }
        at_level = [change.sha in fixed for change, own in old if own is level]
        if len(at_level) < NUM_FOR_A_RATE or not fixed:
            return None
        return observed(Rate(sum(at_level) / len(at_level), len(at_level)), len(fixed) / len(old), "this repository")


class SharedPast:
    """Reuse for changes of one history, oldest first: each adds those that landed since the one before.

    Where another change is the first that is scored, all are scored again, with the texts measured before.
    """

    def __init__(self) -> None:
        self._known: Known | None = None
        self._measured: dict[str, TextMeasures] = {}

    def known(self, history: History, deadline: Deadline | None, past_pulls: Sequence[PastPull]) -> Known:
        """Return what is known from a history. Raises `OutOfTime`."""
        changes, begin = _enough(history)
        known, self._known = self._known, None
        if known is None or not known.is_before(changes, begin):
            known = Known(begin, past_pulls, self._measured)
        known.add(history, changes, deadline)
        self._known = known
        return known


def observed(rate: Rate, average: float, source: str) -> ObservedRate:
    """Return a rate with its ratio to the average."""
    return ObservedRate(round(rate.share, 4), rate.num, round(rate.share / average, 2) if average else 1.0, source)


def _enough(history: History) -> tuple[list[LandedChange], int]:
    """Return the newest changes, and the index of the first that is scored.

    These are the `MOST_SCORED` last ones that count, and those of a year before them.
    """
    most = FIRST_READ
    while True:
        changes = history.landed(most)
        source = [at for at, one in enumerate(changes) if is_ordinary(one) and any(True for _ in source_files(one))]
        begin = source[-MOST_SCORED] if len(source) >= MOST_SCORED else 0
        is_whole = begin > 0 and changes[0].time <= changes[begin].time - YEAR_S
        if len(changes) < most or is_whole or most >= MOST_READ:
            return changes, begin
        most = min(2 * most, MOST_READ)
