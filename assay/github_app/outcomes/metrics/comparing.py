"""Comparison of two groups of pull requests: did a metric change by more than chance?

"Did merge rates improve after prompt version X was deployed for repository Y?" is `before_and_after`. It compares the
two periods and does not identify the cause: other things change with time too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.github_app.outcomes.metrics.measures import PullMeasures
from assay.github_app.outcomes.metrics.metric_definitions import DEFINITIONS, Better, Definition, Kind, Pair
from assay.github_app.outcomes.metrics.metrics import FEW, pairs_of, value_of
from assay.statistics import Interval, interval_of_rate_difference, interval_of_ratio_difference


class Moved(StrEnum):
    """Direction of the change. `unclear`: the interval contains zero. `too_few`: a group has fewer than 20."""

    better = "better"
    worse = "worse"
    different = "different"
    unclear = "unclear"
    too_few = "too_few"


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """Metric in two groups; `difference` is after - before, with its 95 % interval."""

    metric: str
    before: float | None
    after: float | None
    num_before: int
    num_after: int
    difference: float | None
    low: float | None
    high: float | None
    unit: str
    better: str
    moved: Moved


def before_and_after(
    measured: Iterable[PullMeasures], prompt_version: str, names: Collection[str] | None = None
) -> tuple[ComparedRow, ...]:
    """Compare the pull requests under a prompt version with earlier ones of the same repositories."""
    known = sorted(measured, key=lambda one: (one.opened_at, one.repository_id, one.number))
    began: dict[int, PullMeasures] = {}
    for one in known:
        if one.prompt_version == prompt_version:
            began.setdefault(one.repository_id, one)
    before = [
        one
        for one in known
        if one.repository_id in began
        and one.prompt_version != prompt_version
        and one.opened_at < began[one.repository_id].opened_at
    ]
    after = [one for one in known if one.prompt_version == prompt_version]
    return compared(before, after, names)


def compared(
    before: Sequence[PullMeasures], after: Sequence[PullMeasures], names: Collection[str] | None = None
) -> tuple[ComparedRow, ...]:
    """Compare every metric (or those in `names`) between two groups."""
    wanted = [one for one in DEFINITIONS.values() if names is None or one.name in names]
    return tuple(_row(one, pairs_of(one, before)[0], pairs_of(one, after)[0]) for one in wanted)


def _row(definition: Definition, before: list[Pair], after: list[Pair]) -> ComparedRow:
    values = value_of(before), value_of(after)
    interval = difference_of(definition.kind, before, after)
    return ComparedRow(
        metric=definition.name,
        before=values[0],
        after=values[1],
        num_before=len(before),
        num_after=len(after),
        difference=None if values[0] is None or values[1] is None else values[1] - values[0],
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        unit=definition.unit,
        better=str(definition.better),
        moved=moved(definition.better, interval, min(len(before), len(after))),
    )


def difference_of(kind: Kind, before: list[Pair], after: list[Pair]) -> Interval | None:
    """Return the 95 % interval of (value after - value before): Newcombe's for rates, else by bootstrap."""
    if kind is Kind.rate:
        hits = [round(sum(pair[0] for pair in pairs)) for pairs in (before, after)]
        return interval_of_rate_difference(hits[0], len(before), hits[1], len(after))
    return interval_of_ratio_difference(before, after)


def moved(better: Better, interval: Interval | None, num_smaller: int) -> Moved:
    """Return the direction of a difference between two groups, of which the smaller has this number."""
    if num_smaller < FEW:
        return Moved.too_few
    if interval is None or interval.low <= 0 <= interval.high:
        return Moved.unclear
    if better is Better.neither:
        return Moved.different
    return Moved.better if (interval.low > 0) == (better is Better.up) else Moved.worse
