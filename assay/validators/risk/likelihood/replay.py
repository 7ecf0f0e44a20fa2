"""Score the past changes of a branch in order, each with what was known before it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from assay.validators.changes.change import shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.landed import History, LandedChange, TouchedFile
from assay.validators.changes.manifest_table import is_lock
from assay.validators.changes.past_pulls import PastPull
from assay.validators.progress import Deadline
from assay.validators.report.model import RiskLevel
from assay.validators.report.risk_facts import ObservedRate, RollbackFlag
from assay.validators.risk.likelihood.kept_past import KeptPast, by_convention
from assay.validators.risk.likelihood.labels import OutcomeFinder
from assay.validators.risk.likelihood.model import (
    NUM_AT_LEAST,
    WINDOW,
    Model,
    Rate,
    Score,
    Scorer,
    features_of,
)
from assay.validators.risk.likelihood.past import YEAR_S, FileHistory, PastChanges, is_fix, is_ordinary
from assay.validators.risk.likelihood.text_measures import TextMeasures

MOST_SCORED = 2 * WINDOW
"""Past changes that are scored: the last `WINDOW` of them were compared with a full window themselves."""
MOST_READ = 10_000
"""Commits whose messages and file lists are read; in a busier repository the features see less than a year."""
READ_AT_ONCE = 1_000
NUM_FOR_A_RATE = 50
"""Past changes of a level with a full year after them, from which their own rate is given."""
_MIGRATION = re.compile(r"(?:^|/)(?:migrations?|migrate|alembic|db/schema)(?:/|\.)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ScoredChange:
    """Change with its score, and what became of it.

    `level` is None before `NUM_AT_LEAST` changes are known. `is_ordinary` is False for reverts, releases and updates
    by bots. `fixed` and `reverted` are within a year, and so far if that year is not over (`is_over`).
    """

    change: LandedChange
    text: TextMeasures
    score: Score
    level: RiskLevel | None
    flags: tuple[RollbackFlag, ...]
    is_ordinary: bool
    fixed: bool = False
    reverted: bool = False
    is_over: bool = False


class Replay:
    """Replays changes, oldest first: `scorer`, `past` and `outcomes` are as of the last change added."""

    def __init__(self, model: Model | None = None, past_pulls: Sequence[PastPull] = ()) -> None:
        self.scorer = Scorer(model)
        self.past = PastChanges()
        self.outcomes = OutcomeFinder(past_pulls)
        self.newest = 0
        self._scored: list[ScoredChange] = []

    def score(
        self, change: LandedChange, text: TextMeasures, nature_of: Callable[[str], Nature] = by_convention
    ) -> ScoredChange:
        """Return the score of the change that follows those added."""
        paths = [file.base_path or file.path for file in change.files if nature_of(file.path) is Nature.source]
        history = self.past.before(paths, change.author, change.time)
        score = self.scorer.score(features_of(text, history, fixes=is_fix(change)))
        level = self.scorer.model.level(score.percentile) if score.num_compared >= NUM_AT_LEAST else None
        flags = tuple(_flags(change, nature_of, history))
        return ScoredChange(change, text, score, level, flags, is_ordinary(change))

    def run(self, changes: Sequence[LandedChange], past: KeptPast, deadline: Deadline | None = None) -> None:
        """Score and add the changes that touch source, and add the others to the history of their files."""
        for change, patch in past.patches(changes):
            if deadline is not None:
                deadline.check("history")
            source = source_files(change)
            if patch is not None and patch.files and source:
                scored = self.score(change, patch.text)
                self._scored.append(scored)
                if scored.is_ordinary:
                    self.scorer.add(scored.score)
            self.past.add(change, source)
            self.outcomes.add(change, None if patch is None else patch.files)
            self.newest = change.time

    def scored(self) -> Iterator[ScoredChange]:
        """Yield the changes that were scored with what became of them; those missing from the clone have no score."""
        for one in self._scored:
            fixed, reverted = self.outcomes.within(one.change, YEAR_S)
            yield replace(one, fixed=fixed, reverted=reverted, is_over=one.change.time <= self.newest - YEAR_S)

    def rate(self, level: RiskLevel) -> ObservedRate | None:
        """Return how often past changes of this level needed a fix within a year, if enough of them are that old."""
        old = [one for one in self.scored() if one.is_over and one.is_ordinary and one.level is not None]
        at_level = [one.fixed for one in old if one.level is level]
        num_fixed = sum(one.fixed for one in old)
        if len(at_level) < NUM_FOR_A_RATE or not num_fixed:
            return None
        return Rate(sum(at_level) / len(at_level), len(at_level)).observed(num_fixed / len(old), "this repository")


def source_files(change: LandedChange) -> list[TouchedFile]:
    """Return the handwritten source files of a change, tests left out."""
    return [file for file in change.files if by_convention(file.path) is Nature.source]


def replay_before(history: History, deadline: Deadline | None, past_pulls: Sequence[PastPull]) -> Replay:
    """Replay what a change is compared with: the `MOST_SCORED` last changes that count, and a year before them.

    Raises `OutOfTime`.
    """
    past, replay = KeptPast(history), Replay(past_pulls=past_pulls)
    ids = history.line(MOST_READ)
    found: list[LandedChange] = []
    counting: list[int] = []
    for at in range(0, len(ids), READ_AT_ONCE):
        if deadline is not None:
            deadline.check("history")
        for change in past.changes(ids[at : at + READ_AT_ONCE]):
            if is_ordinary(change) and source_files(change):
                counting.append(len(found))
            found.append(change)
        if len(counting) >= MOST_SCORED and found[-1].time <= found[counting[MOST_SCORED - 1]].time - YEAR_S:
            break
    num_scored = counting[MOST_SCORED - 1] + 1 if len(counting) >= MOST_SCORED else len(found)
    for change in reversed(found[num_scored:]):
        replay.past.add(change, source_files(change))
    replay.run(found[:num_scored][::-1], past, deadline)
    return replay


def _flags(change: LandedChange, nature_of: Callable[[str], Nature], history: FileHistory) -> Iterator[RollbackFlag]:
    """Yield properties of changes that are reverted more often than others, whatever their size."""
    settings = sorted(
        file.path
        for file in change.files
        if nature_of(file.path) is Nature.config or is_lock(file.path) or _MIGRATION.search(file.path)
    )
    if settings:
        more = f" and {len(settings) - 1} more" if len(settings) > 1 else ""
        text = f"changes configuration, dependencies or migrations ({shown(settings[0])}{more})"
        yield RollbackFlag("settings", text)
    if history.is_new_author:
        yield RollbackFlag("new_author", "its author changed none of these files in the past year")
    if history.was_reverted:
        yield RollbackFlag("reverted_before", "a change to one of these files was reverted in the past year")
