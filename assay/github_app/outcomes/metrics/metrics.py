"""Metrics over many pull requests, by time and by group, with counts and intervals.

The API, the dashboard and its CSV all use `metrics`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from assay.github_app.outcomes.metrics.measures import PullMeasures
from assay.github_app.outcomes.metrics.metric_definitions import DEFINITIONS, Definition, Kind, Pair
from assay.statistics import Interval, interval_of_rate, interval_of_ratio

FEW = 20
"""Sample size below which a value is marked "too few"."""

UNKNOWN = "unknown"


class By(StrEnum):
    """Grouping of metrics: author and conditions of a pull request."""

    repository = "repository"
    author = "author"
    user = "user"
    agent = "agent"
    model = "model"
    prompt_version = "prompt_version"
    memory_state = "memory_state"
    hydration = "hydration"


class Bucket(StrEnum):
    """Time bucket; a pull request belongs to the one it was opened in (UTC)."""

    week = "week"
    month = "month"


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One value. `split` and `bucket` may be None; `bucket` is like `2026-W09` or `2026-03`.

    `value` is `total`
    count, None if unknown, with the 95 % interval `low` to `high`. `n` counts the pull requests with a known value,
    `num_unknown` those without.
    """

    metric: str
    split: str | None
    bucket: str | None
    value: float | None
    low: float | None
    high: float | None
    n: int
    num_unknown: int
    total: float
    unit: str
    better: str
    is_too_few: bool


def metrics(
    measured: Iterable[PullMeasures],
    *,
    by: By | None = None,
    bucket: Bucket | None = None,
    names: Collection[str] | None = None,
) -> tuple[MetricRow, ...]:
    """Compute every metric (or those in `names`) for each group and bucket, in the order of the definitions.

    Raises:
        ValueError: `names` contains an unknown metric.
    """
    for name in names or ():
        if name not in DEFINITIONS:
            raise ValueError(f"there is no metric {name!r}; there are {', '.join(DEFINITIONS)}")
    wanted = [one for one in DEFINITIONS.values() if names is None or one.name in names]
    groups = grouped(measured, by, bucket)
    return tuple(_row(one, split, span, groups[split, span]) for one in wanted for split, span in in_order(groups))


def grouped(
    measured: Iterable[PullMeasures], by: By | None, bucket: Bucket | None
) -> Mapping[tuple[str | None, str | None], Sequence[PullMeasures]]:
    """Group pull requests by split and bucket."""
    groups: dict[tuple[str | None, str | None], list[PullMeasures]] = defaultdict(list)
    for one in measured:
        groups[split_of(one, by), span_of(one.opened_at, bucket)].append(one)
    return groups


def split_of(one: PullMeasures, by: By | None) -> str | None:
    """Return the group of a pull request; `unknown` if it is not known."""
    if by is None:
        return None
    found: str | None = getattr(one, by)
    return found or UNKNOWN


def span_of(opened_at: datetime, bucket: Bucket | None) -> str | None:
    """Return the ISO week or the month of a time (UTC)."""
    if bucket is None:
        return None
    if bucket is Bucket.month:
        return f"{opened_at:%Y-%m}"
    year, week, _ = opened_at.isocalendar()
    return f"{year}-W{week:02}"


def pairs_of(definition: Definition, group: Iterable[PullMeasures]) -> tuple[list[Pair], int]:
    """Return the known pairs, and the number of applicable pull requests without one."""
    concerned = [one for one in group if definition.concerns(one)]
    found = [pair for one in concerned if (pair := definition.of(one)) is not None]
    return found, len(concerned) - len(found)


def value_of(pairs: Sequence[Pair]) -> float | None:
    """Return the value of the pairs; None if the denominator is 0."""
    bottom = sum(pair[1] for pair in pairs)
    return sum(pair[0] for pair in pairs) / bottom if bottom else None


def interval_of(kind: Kind, pairs: Sequence[Pair]) -> Interval | None:
    """Return the interval of that value, by kind."""
    if kind is Kind.rate:
        return interval_of_rate(round(sum(pair[0] for pair in pairs)), len(pairs))
    return interval_of_ratio(pairs)


def _row(definition: Definition, split: str | None, span: str | None, group: Iterable[PullMeasures]) -> MetricRow:
    pairs, num_unknown = pairs_of(definition, group)
    interval = interval_of(definition.kind, pairs)
    return MetricRow(
        metric=definition.name,
        split=split,
        bucket=span,
        value=value_of(pairs),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        n=len(pairs),
        num_unknown=num_unknown,
        total=sum(pair[0] for pair in pairs),
        unit=definition.unit,
        better=str(definition.better),
        is_too_few=len(pairs) < FEW,
    )


def in_order(groups: Iterable[tuple[str | None, str | None]]) -> list[tuple[str | None, str | None]]:
    """Sort splits and buckets for tables."""
    return sorted(groups, key=lambda key: (key[0] or "", key[1] or ""))
