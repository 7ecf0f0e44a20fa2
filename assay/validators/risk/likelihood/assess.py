"""Likelihood and rollback flags of a change, from the history of the branch it would land on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind
from assay.validators.changes.classify import Nature
from assay.validators.changes.landed import FilePatch, LandedChange, PatchHunk, TouchedFile
from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.errors import ValidatorError
from assay.validators.graph.moved_code import MovedCode
from assay.validators.report.model import Likelihood, RiskLevel
from assay.validators.report.risk_facts import ObservedRate, Rollback
from assay.validators.report.unknown import NotChecked
from assay.validators.risk.likelihood.model import NUM_AT_LEAST, Model, factor_of
from assay.validators.risk.likelihood.replay import Replay, replay_before
from assay.validators.risk.likelihood.text_measures import measure_text
from assay.validators.risk.signal import Measure, RiskContext
from assay.validators.wording import plural

LEAST_CONTRIBUTION = 0.05
"""Log-odds; a feature that contributes less says nothing about the change."""


class LikelihoodSignal:
    """Signal `likelihood`: how often past changes like this one needed a fix."""

    name = "likelihood"
    answers = None
    covers = ALL_LANGUAGES

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield the likelihood of a fix and the rollback flags, or why there are none."""
        try:
            yield from self._assessed(context)
        except ValidatorError as error:
            yield NotChecked(self.name, f"the history could not be read: {error}")

    def _assessed(self, context: RiskContext) -> Iterator[Measure]:
        change, whole_change = context.change, context.whole_change
        if change.history is None:
            yield NotChecked(self.name, "a first commit has no history to compare with")
            return
        source = [file for file in change.files if file.nature is Nature.source]
        is_plain = whole_change is not None and all(file.kind is not FileKind.submodule for file in change.files)
        if not source or is_plain:
            note = whole_change if is_plain else "changes no source code"
            yield Likelihood(RiskLevel.low, 0.0, "model", 0, note=note)
            return
        patches = change.history.patch()
        if patches is None:
            yield NotChecked(self.name, "contents of the change are missing from this clone")
            return
        replay = replay_before(change.history, context.deadline, context.past_pulls)
        model = replay.scorer.model
        natures = {file.path: file.nature for file in change.files}
        text = measure_text(_patches(context.moved_code, source, patches), natures.__getitem__)
        scored = replay.score(_as_landed(change, replay.newest), text, natures.__getitem__)
        rate = model.rollback_rates[len(scored.flags)].observed(model.rollback_average, model.source)
        yield Rollback(scored.flags, rate if scored.flags else None)
        if scored.level is None:
            yield _by_size(model, text.added, scored.score.num_compared)
            return
        factors = tuple(one for one in scored.score.factors() if abs(one.contribution) >= LEAST_CONTRIBUTION)
        level, rate = _backed(replay, scored.level)
        percentile = round(scored.score.percentile, 1)
        yield Likelihood(level, percentile, "model", scored.score.num_compared, factors, rate)


def _as_landed(change: ChangeSet, newest: int) -> LandedChange:
    """Return the change as if it landed after those of its history."""
    first = change.commits[-1] if change.commits else None
    author, message = (first.author_email.lower(), first.message) if first is not None else ("", "")
    time = max([newest, *(commit.time for commit in change.commits)])
    files = tuple(TouchedFile(file.path, file.base_path, file.exists, ()) for file in change.files)
    return LandedChange("", (), time, author, message, files)


def _backed(replay: Replay, level: RiskLevel) -> tuple[RiskLevel, ObservedRate]:
    """Return the highest level, not above this one, whose past changes needed a fix as often as average; its rate."""
    model = replay.scorer.model
    while True:
        rate = replay.rate(level) or model.rates[level].observed(model.average, model.source)
        if level is RiskLevel.low or round(rate.times_average, 1) >= 1:
            return level, rate
        level = tuple(RiskLevel)[level.rank - 1]


def _patches(moved: MovedCode, source: Iterable[ChangedFile], patches: Iterable[FilePatch]) -> Iterator[FilePatch]:
    """Yield git's patches of the source, and where they do not fit the places of the change itself.

    Definitions that only move to another file are left out; git has no patches of scripts without a suffix, and of text
    that it takes for binary.
    """
    patched = {patch.path: patch for patch in patches}
    for file in source:
        to = moved.head.get(file.path, frozenset())
        origin = moved.base.get(file.base_path or file.path, frozenset())
        if file.path in patched and not (to or origin):
            yield patched[file.path]
            continue
        hunks = (
            PatchHunk(
                hunk.base_start,
                _lines_outside(hunk.base_lines, hunk.base_start, origin),
                hunk.head_start,
                _lines_outside(hunk.head_lines, hunk.head_start, to),
            )
            for hunk in file.hunks
            if _squeezed(hunk.base_lines) != _squeezed(hunk.head_lines)
        )
        yield FilePatch(file.path, file.base_path, tuple(hunks))


def _squeezed(lines: Iterable[str]) -> list[str]:
    return ["".join(line.split()) for line in lines]


def _lines_outside(lines: Sequence[str], start: int, moved: frozenset[int]) -> tuple[bytes, ...]:
    kept = (line for number, line in enumerate(lines, start) if number not in moved)
    return tuple(line.encode("utf-8", "surrogateescape") for line in kept)


def _by_size(model: Model, added: int, num_known: int) -> Likelihood:
    percentile = model.percentile_of_size(added)
    level = model.level(percentile)
    rate = model.rates[level].observed(model.average, model.source)
    note = f"not calibrated yet: {plural(num_known, 'past change')} with source, {NUM_AT_LEAST} are needed"
    log_odds = model.weights["added"] * (percentile / 100 - 0.5)
    factor = factor_of("added", float(added), percentile, log_odds, f"changes in {model.source}")
    return Likelihood(level, round(percentile, 1), "size", 0, (factor,), rate, note)
