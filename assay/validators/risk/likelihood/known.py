"""What is known of a change from the history before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.validators.changes.landed import History, LandedChange
from assay.validators.changes.past_pulls import PastPull
from assay.validators.progress import Deadline
from assay.validators.report.likelihood import ObservedRate
from assay.validators.report.model import RiskLevel
from assay.validators.risk.likelihood.kept_past import KeptPast, source_files
from assay.validators.risk.likelihood.labels import OutcomeFinder, outcome_within
from assay.validators.risk.likelihood.model import NUM_AT_LEAST, WINDOW, Rate
from assay.validators.risk.likelihood.past import YEAR_S, is_ordinary
from assay.validators.risk.likelihood.replay import Replay, replayed

MOST_SCORED = 2 * WINDOW
"""Past changes that are scored: the last `WINDOW` of them were compared with a full window themselves."""
MOST_READ = 10_000
"""Commits whose messages and file lists are read; in a busier repository the features see less than a year."""
READ_AT_ONCE = 1_000
NUM_FOR_A_RATE = 50
"""Past changes of a level with a full year after them, from which their own rate is given."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the changes before the validated one tell: scores, file histories, and what became of each.

    `levels` are those of the ordinary changes that were compared with enough others, `newest` the time of the last.
    """

    replay: Replay
    levels: Sequence[tuple[LandedChange, RiskLevel]]
    newest: int

    def rate(self, level: RiskLevel) -> ObservedRate | None:
        """Return how often past changes of this level needed a fix within a year, if enough of them are that old."""
        old = [(change, own) for change, own in self.levels if change.time <= self.newest - YEAR_S]
        outcome = self.replay.outcomes.outcome
        fixed = {change.sha for change, _ in old if outcome_within(outcome(change.sha), change, YEAR_S)[0]}
        at_level = [change.sha in fixed for change, own in old if own is level]
        if len(at_level) < NUM_FOR_A_RATE or not fixed:
            return None
        return observed(Rate(sum(at_level) / len(at_level), len(at_level)), len(fixed) / len(old), "this repository")


def known_before(history: History, deadline: Deadline | None, past_pulls: Sequence[PastPull]) -> Known:
    """Return what is known from a history. Raises `OutOfTime`."""
    past = KeptPast(history)
    changes, begin = _enough(past, deadline)
    replay = Replay(outcomes=OutcomeFinder(past_pulls))
    for change in changes[:begin]:
        replay.skip(change)
    levels = []
    for one in replayed(past, changes[begin:], replay):
        if deadline is not None:
            deadline.check("history")
        if one.is_ordinary and one.score.num_compared >= NUM_AT_LEAST:
            levels.append((one.change, replay.scorer.model.level(one.score.percentile)))
    return Known(replay, levels, changes[-1].time if changes else 0)


def observed(rate: Rate, average: float, source: str) -> ObservedRate:
    """Return a rate with its ratio to the average."""
    return ObservedRate(round(rate.share, 4), rate.num, round(rate.share / average, 2) if average else 1.0, source)


def _enough(past: KeptPast, deadline: Deadline | None) -> tuple[list[LandedChange], int]:
    """Return the newest changes, oldest first, and the index of the first that is scored.

    These are the `MOST_SCORED` last ones that count, and those of a year before them.
    """
    ids = past.history.line(MOST_READ)
    found: list[LandedChange] = []
    source: list[int] = []
    for at in range(0, len(ids), READ_AT_ONCE):
        if deadline is not None:
            deadline.check("history")
        for change in past.changes(ids[at : at + READ_AT_ONCE]):
            if is_ordinary(change) and any(True for _ in source_files(change)):
                source.append(len(found))
            found.append(change)
        if len(source) >= MOST_SCORED and found[-1].time <= found[source[MOST_SCORED - 1]].time - YEAR_S:
            break
    first = source[MOST_SCORED - 1] if len(source) >= MOST_SCORED else len(found) - 1
    return found[::-1], len(found) - 1 - first
