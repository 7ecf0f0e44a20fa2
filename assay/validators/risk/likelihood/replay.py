"""Score the past changes of a branch in order, each with what was known before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from assay.validators.changes.classify import Nature, nature_of
from assay.validators.changes.landed import FilePatch, History, LandedChange, TouchedFile
from assay.validators.report.likelihood import RollbackFlag
from assay.validators.risk.likelihood.model import NUM_AT_LEAST, Features, Model, Score, Scorer, features_of
from assay.validators.risk.likelihood.own_outcomes import OwnOutcomes, Prediction
from assay.validators.risk.likelihood.past import PastChanges, is_fix, is_ordinary
from assay.validators.risk.likelihood.rollback import rollback_flags
from assay.validators.risk.likelihood.text_measures import TextMeasures, measure_text
from assay.validators.vcs.landed import source_blobs


@lru_cache(maxsize=100_000)
def by_convention(path: str) -> Nature:
    """Return what a path is by convention: the past has no configuration that says otherwise."""
    return nature_of(path, b"")


@dataclass(frozen=True, slots=True)
class PastScore:
    """Score of a past change; `is_ordinary` is False for reverts, releases and updates by bots.

    `prediction` is None without outcomes, and before `NUM_AT_LEAST` changes are known.
    """

    change: LandedChange
    features: Features
    text: TextMeasures
    score: Score
    flags: tuple[RollbackFlag, ...]
    is_ordinary: bool
    prediction: Prediction | None


class Replay:
    """Replays changes, oldest first: `scorer`, `past` and `own` are as of the last change added.

    With `own`, whose finder every change is added to, predictions are calibrated on outcomes completed before the
    change, and refitted weights score it if they ranked past changes no worse. `measured` holds the texts by commit.
    """

    def __init__(
        self,
        model: Model | None = None,
        own: OwnOutcomes | None = None,
        measured: dict[str, TextMeasures] | None = None,
    ) -> None:
        self.scorer = Scorer(model)
        self.past = PastChanges()
        self.own = own
        self._measured = {} if measured is None else measured

    def skip(self, change: LandedChange) -> None:
        """Add a change to the history of its files only."""
        self.past.add(change, list(source_files(change)))

    def take(self, change: LandedChange, patches: Iterable[FilePatch]) -> PastScore:
        """Score a change with source files, then add it."""
        files = list(source_files(change))
        history = self.past.before([file.base_path or file.path for file in files], change.author, change.time)
        if change.sha not in self._measured:
            self._measured[change.sha] = measure_text(patches, by_convention)
        text = self._measured[change.sha]
        features = features_of(text, history, fixes=is_fix(change))
        flags = rollback_flags([(file.path, by_convention(file.path)) for file in change.files], history)
        if self.own is not None and self.own.complete(change.time):
            self.scorer.reweigh(self.own.in_use.weights)
        score, ordinary = self.scorer.score(features), is_ordinary(change)
        prediction = None
        if self.own is not None and score.num_compared >= NUM_AT_LEAST:
            prediction = self.own.add(change, score) if ordinary else self.own.predict(score)
        if ordinary:
            self.scorer.add(features, score)
        self.past.add(change, files)
        return PastScore(change, features, text, score, flags, ordinary, prediction)


def source_files(change: LandedChange) -> Iterator[TouchedFile]:
    """Yield the handwritten source files of a change, tests left out."""
    return (file for file in change.files if by_convention(file.path) is Nature.source)


def replayed(history: History, changes: Iterable[LandedChange], replay: Replay) -> Iterator[PastScore]:
    """Yield the scores of the changes that touch source, oldest first; those missing from the clone have none."""
    changes = list(changes)
    patched = history.patches([change for change in changes if any(True for _ in source_blobs(change))])
    following = next(patched, None)
    for change in changes:
        patches: tuple[FilePatch, ...] | None = ()
        if following is not None and following[0] is change:
            patches = following[1]
            following = next(patched, None)
        scored = replay.take(change, patches) if patches and any(True for _ in source_files(change)) else None
        if scored is None:
            replay.skip(change)
        if replay.own is not None:
            replay.own.finder.add(change, patches)
        if scored is not None:
            yield scored
