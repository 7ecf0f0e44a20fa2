"""Likelihood and rollback flags of a change, from the history of the branch it would land on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, Hunk
from assay.validators.changes.classify import Nature
from assay.validators.changes.landed import FilePatch, LandedChange, PatchHunk
from assay.validators.changes.past_pulls import PastPull
from assay.validators.graph.moved_code import moved_code
from assay.validators.progress import Deadline
from assay.validators.report.likelihood import LikelihoodFactor, ObservedRate, Rollback
from assay.validators.report.model import Likelihood, RiskLevel
from assay.validators.risk.likelihood.known import Known, known_before, observed
from assay.validators.risk.likelihood.model import NUM_AT_LEAST, Model, features_of
from assay.validators.risk.likelihood.past import is_fix
from assay.validators.risk.likelihood.rollback import rollback_flags
from assay.validators.risk.likelihood.text_measures import measure_text
from assay.validators.risk.likelihood.wording import factors_of
from assay.validators.wording import plural

LEAST_CONTRIBUTION = 0.05
"""Log-odds; a feature that contributes less says nothing about the change."""


@dataclass(frozen=True)
class Assessed:
    """Likelihood and rollback flags of a change; `why` says why there are none."""

    likelihood: Likelihood | None = None
    rollback: Rollback | None = None
    why: str = ""


def assess_likelihood(
    change: ChangeSet,
    deadline: Deadline | None = None,
    past_pulls: Sequence[PastPull] = (),
    whole_change: str | None = None,
) -> Assessed:
    """Return the likelihood of a fix and the rollback flags.

    The outcomes of `past_pulls` count besides those that the history shows. `whole_change` is what a change that
    changes no code plainly is. Raises `OutOfTime`.
    """
    if change.history is None:
        return Assessed(why="a first commit has no history to compare with")
    source = [file for file in change.files if file.nature is Nature.source]
    is_plain = whole_change is not None and all(file.kind is not FileKind.submodule for file in change.files)
    if not source or is_plain:
        note = whole_change if is_plain else "changes no source code"
        return Assessed(Likelihood(RiskLevel.low, 0.0, "model", 0, note=note))
    patches = change.history.patch()
    if patches is None:
        return Assessed(why="contents of the change are missing from this clone")
    known = known_before(change.history, deadline, past_pulls)
    model, scorer = known.replay.scorer.model, known.replay.scorer
    natures = {file.path: file.nature for file in change.files}
    every = [*_without_moved(change, patches), *_unpatched(source, patches)]
    text = measure_text(every, lambda path: natures.get(path, Nature.data))
    first = change.commits[-1] if change.commits else None
    author, message = (first.author_email.lower(), first.message) if first is not None else ("", "")
    time = max([known.newest, *(commit.time for commit in change.commits)])
    history = known.replay.past.before([file.base_path or file.path for file in source], author, time)
    flags = rollback_flags([(file.path, file.nature) for file in change.files], history)
    reverted = observed(model.rollback_rates[len(flags)], model.rollback_average, _public(model)) if flags else None
    rollback = Rollback(flags, reverted)
    if len(scorer) < NUM_AT_LEAST:
        return Assessed(_by_size(model, text.added, len(scorer)), rollback)
    fixes = is_fix(LandedChange("", (), time, author, message, ()))
    score = scorer.score(features_of(text, history, fixes=fixes))
    level, rate = _backed(known, model, model.level(score.percentile))
    percentile = round(score.percentile, 1)
    factors = tuple(factor for factor in factors_of(score) if abs(factor.contribution) >= LEAST_CONTRIBUTION)
    return Assessed(Likelihood(level, percentile, "model", score.num_compared, factors, rate), rollback)


def _backed(known: Known, model: Model, level: RiskLevel) -> tuple[RiskLevel, ObservedRate]:
    """Return the highest level, not above this one, whose past changes needed a fix as often as average; its rate."""
    while True:
        rate = known.rate(level) or observed(model.rates[level], model.average, _public(model))
        if level is RiskLevel.low or round(rate.times_average, 1) >= 1:
            return level, rate
        level = tuple(RiskLevel)[tuple(RiskLevel).index(level) - 1]


def _without_moved(change: ChangeSet, patches: Iterable[FilePatch]) -> Iterator[FilePatch]:
    """Yield the patches without definitions that only move to another file."""
    moved = moved_code(change)
    for patch in patches:
        file = change.by_path.get(patch.path)
        to = moved.head.get(patch.path, frozenset())
        origin = moved.base.get(patch.base_path or patch.path, frozenset())
        if file is None or not (to or origin):
            yield patch
            continue
        hunks = (
            replace(
                hunk,
                base_lines=_lines_outside(hunk.base_lines, hunk.base_start, origin),
                head_lines=_lines_outside(hunk.head_lines, hunk.head_start, to),
            )
            for hunk in file.hunks
        )
        yield FilePatch(patch.path, patch.base_path, tuple(map(_patch_hunk, hunks)))


def _lines_outside(lines: Sequence[str], start: int, moved: Collection[int]) -> tuple[str, ...]:
    return tuple(line for number, line in enumerate(lines, start) if number not in moved)


def _unpatched(source: Iterable[ChangedFile], patches: Iterable[FilePatch]) -> Iterator[FilePatch]:
    """Yield patches of source that git's have not: scripts without a suffix, and text it takes for binary."""
    patched = {patch.path for patch in patches}
    for file in source:
        if file.path not in patched:
            hunks = tuple(
                _patch_hunk(hunk) for hunk in file.hunks if _squeezed(hunk.base_lines) != _squeezed(hunk.head_lines)
            )
            yield FilePatch(file.path, file.base_path, hunks)


def _squeezed(lines: Iterable[str]) -> list[str]:
    return ["".join(line.split()) for line in lines]


def _patch_hunk(hunk: Hunk) -> PatchHunk:
    removed, added = (
        tuple(line.encode("utf-8", "surrogateescape") for line in lines) for lines in (hunk.base_lines, hunk.head_lines)
    )
    return PatchHunk(hunk.base_start, removed, hunk.head_start, added)


def _by_size(model: Model, added: int, num_known: int) -> Likelihood:
    level, percentile = model.level_by_size(added)
    lines = f"{plural(added, 'line')} without blank ones and comments"
    text = f"adds {lines} (percentile {int(percentile)} of changes in {_public(model)})"
    note = f"not calibrated yet: {plural(num_known, 'past change')} with source, {NUM_AT_LEAST} are needed"
    rate = observed(model.rates[level], model.average, _public(model))
    contribution = round(model.weights["added"] * (percentile / 100 - 0.5), 3)
    factor = LikelihoodFactor("added", float(added), round(percentile, 1), contribution, text)
    return Likelihood(level, round(percentile, 1), "size", 0, (factor,), rate, note)


def _public(model: Model) -> str:
    return f"{len(model.repositories)} public repositories"
