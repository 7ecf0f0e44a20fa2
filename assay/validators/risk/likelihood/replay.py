"""Score the past changes of a branch in order, each with what was known before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.validators.changes.landed import LandedChange
from assay.validators.report.likelihood import RollbackFlag
from assay.validators.risk.likelihood.kept_past import KeptPast, by_convention, source_files
from assay.validators.risk.likelihood.labels import OutcomeFinder
from assay.validators.risk.likelihood.model import Features, Model, Score, Scorer, features_of
from assay.validators.risk.likelihood.past import PastChanges, is_fix, is_ordinary
from assay.validators.risk.likelihood.rollback import rollback_flags
from assay.validators.risk.likelihood.text_measures import TextMeasures


@dataclass(frozen=True, slots=True)
class PastScore:
    """Score of a past change; `is_ordinary` is False for reverts, releases and updates by bots."""

    change: LandedChange
    features: Features
    text: TextMeasures
    score: Score
    flags: tuple[RollbackFlag, ...]
    is_ordinary: bool


class Replay:
    """Replays changes, oldest first: `scorer`, `past` and `outcomes` are as of the last change added."""

    def __init__(self, model: Model | None = None, outcomes: OutcomeFinder | None = None) -> None:
        self.scorer = Scorer(model)
        self.past = PastChanges()
        self.outcomes = outcomes or OutcomeFinder()

    def skip(self, change: LandedChange) -> None:
        """Add a change to the history of its files only."""
        self.past.add(change, list(source_files(change)))

    def take(self, change: LandedChange, text: TextMeasures) -> PastScore:
        """Score a change with source files, then add it."""
        files = list(source_files(change))
        history = self.past.before([file.base_path or file.path for file in files], change.author, change.time)
        features = features_of(text, history, fixes=is_fix(change))
        flags = rollback_flags([(file.path, by_convention(file.path)) for file in change.files], history)
        score, ordinary = self.scorer.score(features), is_ordinary(change)
        if ordinary:
            self.scorer.add(features, score)
        self.past.add(change, files)
        return PastScore(change, features, text, score, flags, ordinary)


def replayed(past: KeptPast, changes: Iterable[LandedChange], replay: Replay) -> Iterator[PastScore]:
    """Yield the scores of the changes that touch source, oldest first; those missing from the clone have none."""
    for change, patch in past.patches(changes):
        scored = None
        if patch is not None and patch.files and any(True for _ in source_files(change)):
            scored = replay.take(change, patch.text)
        else:
            replay.skip(change)
        replay.outcomes.add(change, None if patch is None else patch.files)
        if scored is not None:
            yield scored
