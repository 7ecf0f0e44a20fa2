"""Likelihood and rollback flags of a change, from the history of the branch it would land on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.validators.changes.change import ChangedFile, ChangeSet, Hunk
from assay.validators.changes.classify import Nature
from assay.validators.changes.landed import FilePatch, History, LandedChange, PatchHunk
from assay.validators.changes.past_pulls import PastPull
from assay.validators.progress import Deadline
from assay.validators.report.likelihood import LikelihoodFactor, ObservedRate, Rollback
from assay.validators.report.model import Likelihood, RiskLevel
from assay.validators.risk.likelihood.labels import OutcomeFinder, outcome_within
from assay.validators.risk.likelihood.model import NUM_AT_LEAST, WINDOW, Model, Rate, features_of, shipped_model
from assay.validators.risk.likelihood.own_outcomes import OwnOutcomes
from assay.validators.risk.likelihood.past import YEAR_S, is_fix, is_ordinary
from assay.validators.risk.likelihood.replay import Replay, replayed, source_files
from assay.validators.risk.likelihood.rollback import rollback_flags
from assay.validators.risk.likelihood.text_measures import measure_text
from assay.validators.risk.likelihood.wording import factors_of
from assay.validators.wording import plural

MOST_SCORED = 2 * WINDOW
"""Past changes that are scored: the last `WINDOW` of them were compared with a full window themselves."""
MOST_READ = 10_000
"""Commits whose messages and file lists are read; in a busier repository the features see less than a year."""
FIRST_READ = 2_000
LEAST_CONTRIBUTION = 0.05
"""Log-odds; a feature that contributes less says nothing about the change."""
NUM_FOR_A_RATE = 50
"""Past changes of a level with a full year after them, from which their own rate is given."""


@dataclass(frozen=True)
class Assessed:
    """Likelihood and rollback flags of a change; `why` says why there are none."""

    likelihood: Likelihood | None = None
    rollback: Rollback | None = None
    why: str = ""


class _Known:
    """What the changes before the validated one tell: scores, file histories, and what became of each."""

    def __init__(self, history: History, deadline: Deadline | None, past_pulls: Sequence[PastPull]) -> None:
        self._outcomes = OutcomeFinder(past_pulls)
        self.replay = Replay(own=OwnOutcomes(shipped_model(), self._outcomes))
        self._levels: list[tuple[LandedChange, RiskLevel]] = []
        changes, begin = _enough(history)
        self.newest = changes[-1].time if changes else 0
        for change in changes[:begin]:
            self.replay.skip(change)
        for one in replayed(history, changes[begin:], self.replay):
            if deadline is not None:
                deadline.check("history")
            if one.is_ordinary and one.score.num_compared >= NUM_AT_LEAST:
                self._levels.append((one.change, self.replay.scorer.model.level(one.score.percentile)))

    def rate(self, level: RiskLevel) -> ObservedRate | None:
        """Return how often past changes of this level needed a fix within a year, if enough of them are that old."""
        old = [(change, own) for change, own in self._levels if change.time <= self.newest - YEAR_S]
        fixed = {
            change.sha for change, _ in old if outcome_within(self._outcomes.outcome(change.sha), change, YEAR_S)[0]
        }
        at_level = [change.sha in fixed for change, own in old if own is level]
        if len(at_level) < NUM_FOR_A_RATE or not fixed:
            return None
        return _observed(Rate(sum(at_level) / len(at_level), len(at_level)), len(fixed) / len(old), "this repository")


def assess_likelihood(
    change: ChangeSet, deadline: Deadline | None = None, past_pulls: Sequence[PastPull] = ()
) -> Assessed:
    """Return the likelihood of a fix and the rollback flags.

    The outcomes of `past_pulls` count besides those that the history shows. Raises `OutOfTime`.
    """
    if change.history is None:
        return Assessed(why="a first commit has no history to compare with")
    source = [file for file in change.files if file.nature is Nature.source]
    if not source:
        return Assessed(Likelihood(RiskLevel.low, 0.0, "model", 0, note="changes no source code"))
    patches = change.history.patch()
    if patches is None:
        return Assessed(why="contents of the change are missing from this clone")
    known = _Known(change.history, deadline, past_pulls)
    model, scorer = known.replay.scorer.model, known.replay.scorer
    natures = {file.path: file.nature for file in change.files}
    text = measure_text([*patches, *_unpatched(source, patches)], lambda path: natures.get(path, Nature.data))
    first = change.commits[-1] if change.commits else None
    author, message = (first.author_email.lower(), first.message) if first is not None else ("", "")
    time = max([known.newest, *(commit.time for commit in change.commits)])
    history = known.replay.past.before([file.base_path or file.path for file in source], author, time)
    flags = rollback_flags([(file.path, file.nature) for file in change.files], history)
    reverted = _observed(model.rollback_rates[len(flags)], model.rollback_average, _public(model)) if flags else None
    rollback = Rollback(flags, reverted)
    if len(scorer) < NUM_AT_LEAST:
        return Assessed(_by_size(model, text.added, len(scorer)), rollback)
    fixes = is_fix(LandedChange("", (), time, author, message, ()))
    score = scorer.score(features_of(text, history, fixes=fixes))
    level = model.level(score.percentile)
    rate = known.rate(level) or _observed(model.rates[level], model.average, _public(model))
    percentile = round(score.percentile, 1)
    factors = tuple(factor for factor in factors_of(score) if abs(factor.contribution) >= LEAST_CONTRIBUTION)
    return Assessed(Likelihood(level, percentile, "model", score.num_compared, factors, rate), rollback)


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
    smaller, larger = model.shares_by_size(added)
    side, share = ("more", smaller) if smaller >= larger else ("fewer", larger)
    text = f"adds {plural(added, 'line')} of code, {side} than {share} % of changes in {_public(model)}"
    note = f"not calibrated yet: {plural(num_known, 'past change')} with source, {NUM_AT_LEAST} are needed"
    rate = _observed(model.rates[level], model.average, _public(model))
    contribution = round(model.weights["added"] * (percentile / 100 - 0.5), 3)
    factor = LikelihoodFactor("added", float(added), round(percentile, 1), contribution, text)
    return Likelihood(level, round(percentile, 1), "size", 0, (factor,), rate, note)


def _observed(rate: Rate, average: float, source: str) -> ObservedRate:
    return ObservedRate(round(rate.share, 4), rate.num, round(rate.share / average, 2) if average else 1.0, source)


def _public(model: Model) -> str:
    return f"{len(model.repositories)} public repositories"


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
