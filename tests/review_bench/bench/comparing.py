"""Compare two runs of the bench, change by change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.statistics import Interval, exact_test_of_pairs, interval_of_scores, permutation_p
from assay.validators.errors import UsageError
from tests.review_bench.bench.figures import MOST_FALSE
from tests.review_bench.bench.manifest import Kind
from tests.review_bench.bench.results import BenchRun, MeasuredChange


class NotComparable(UsageError):
    """Runs without a common change."""

    code = "bench.not-comparable"


@dataclass(frozen=True, slots=True)
class PairedRecall:
    """Changes with a fault that both runs measured: found before, found after, and those that differ.

    `p` is that of McNemar's exact test; the interval is of the difference of the rates.
    """

    num: int
    before: int
    after: int
    lost: tuple[str, ...]
    gained: tuple[str, ...]
    interval: Interval | None
    p: float

    @property
    def difference(self) -> float:
        """Rate after - rate before."""
        return (self.after - self.before) / self.num


@dataclass(frozen=True, slots=True)
class PairedFalse:
    """The model's findings on clean changes that both runs measured; `p` is that of a permutation test."""

    num: int
    before: float
    after: float
    interval: Interval | None
    p: float | None

    @property
    def difference(self) -> float:
        """Findings per change after - before."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class BenchComparison:
    """Two runs compared on the changes that both measured. `unpaired` were measured by one run alone.

    `prompts` are the labels that differ, by name; None where a run has no model.
    """

    models: tuple[str | None, str | None]
    prompts: dict[str, tuple[str | None, str | None]]
    is_same_manifest: bool
    num: int
    unpaired: int
    recall: PairedRecall | None
    false: PairedFalse | None


def compare_runs(before: BenchRun, after: BenchRun) -> BenchComparison:
    """Return the comparison. Raises `NotComparable`."""
    old, new = ({one.id: one for one in run.changes if one.error is None} for run in (before, after))
    pairs = [(old[name], new[name]) for name in old if name in new and old[name].kind is new[name].kind]
    if not pairs:
        raise NotComparable("the two runs measured no change in common")
    names = sorted({*before.prompts, *after.prompts})
    labels = {name: (before.prompts.get(name), after.prompts.get(name)) for name in names}
    return BenchComparison(
        models=(before.model, after.model),
        prompts={name: both for name, both in labels.items() if both[0] != both[1]},
        is_same_manifest=before.manifest_digest == after.manifest_digest,
        num=len(pairs),
        unpaired=len({*old, *new}) - len(pairs),
        recall=_recall([pair for pair in pairs if pair[0].kind.has_bug]),
        false=_false([pair for pair in pairs if pair[0].kind is Kind.clean]),
    )


Pairs = Sequence[tuple[MeasuredChange, MeasuredChange]]


def _recall(pairs: Pairs) -> PairedRecall | None:
    if not pairs:
        return None
    lost = tuple(one.id for one, other in pairs if one.found and not other.found)
    gained = tuple(one.id for one, other in pairs if other.found and not one.found)
    differences = [float(other.found) - float(one.found) for one, other in pairs]
    return PairedRecall(
        num=len(pairs),
        before=sum(one.found for one, _ in pairs),
        after=sum(other.found for _, other in pairs),
        lost=lost,
        gained=gained,
        interval=interval_of_scores([differences], bounds=(-1.0, 1.0)),
        p=exact_test_of_pairs(len(lost), len(gained)),
    )


def _false(pairs: Pairs) -> PairedFalse | None:
    if not pairs:
        return None
    before, after = ([float(_num_findings(one)) for one in side] for side in zip(*pairs, strict=True))
    differences = [new - old for old, new in zip(before, after, strict=True)]
    return PairedFalse(
        num=len(pairs),
        before=sum(before) / len(before),
        after=sum(after) / len(after),
        interval=interval_of_scores([differences], bounds=(-MOST_FALSE, MOST_FALSE)),
        p=permutation_p(differences),
    )


def _num_findings(one: MeasuredChange) -> int:
    return 0 if one.model is None else one.model.num_findings
