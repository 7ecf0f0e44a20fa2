"""Risk levels: distribution over time, and outcomes by level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.github_app.outcomes.metrics.measures import PullMeasures
from assay.github_app.outcomes.metrics.metric_definitions import Pair
from assay.github_app.outcomes.metrics.metrics import FEW, Bucket, By, grouped, in_order, value_of
from assay.github_app.outcomes.record.follow_up_fixes import FIX_WITHIN
from assay.statistics import Interval, interval_of_lift, interval_of_rate, interval_of_ratio_quotient
from assay.validators import Lift, RiskLevel, lifts

LEVELS = tuple(map(str, RiskLevel))


@dataclass(frozen=True, slots=True)
class RiskShare:
    """Number of pull requests with this level among `n` validated ones, with the interval of the share."""

    level: str
    split: str | None
    bucket: str | None
    num: int
    n: int
    share: float
    low: float
    high: float
    is_too_few: bool


@dataclass(frozen=True, slots=True)
class RiskLift:
    """Outcome of one level's pull requests compared with all other levels.

    `what` is `rejected` (share of those that ended), `time_to_first_review` or `time_to_merge` (mean seconds). `lift`
    is value
    rest, with the interval `low` to `high`. The difference is significant if `low` > 1 or `high` < 1.
    """

    what: str
    level: str
    value: float | None
    rest: float | None
    lift: float | None
    low: float | None
    high: float | None
    n: int
    num_rest: int
    is_too_few: bool


def risk_distribution(
    measured: Iterable[PullMeasures], *, by: By | None = None, bucket: Bucket | None = None
) -> tuple[RiskShare, ...]:
    """Return the share of all four levels among validated pull requests, by split and bucket."""
    groups = grouped((one for one in measured if one.risk_level in LEVELS), by, bucket)
    found = []
    for split, span in in_order(groups):
        counted = Counter(one.risk_level for one in groups[split, span])
        n = counted.total()
        for level in LEVELS:
            interval = interval_of_rate(counted[level], n)
            low, high = (interval.low, interval.high) if interval else (0.0, 1.0)
            found.append(RiskShare(level, split, span, counted[level], n, counted[level] / n, low, high, n < FEW))
    return tuple(found)


def risk_and_outcome(measured: Iterable[PullMeasures]) -> tuple[RiskLift, ...]:
    """Compare rejections and delays by level; `high_or_critical` is a level too."""
    validated = [one for one in measured if one.risk_level in LEVELS]
    found = []
    for level, members in (*((level, (level,)) for level in LEVELS), ("high_or_critical", ("high", "critical"))):
        here = [one for one in validated if one.risk_level in members]
        rest = [one for one in validated if one.risk_level not in members]
        found += [
            _rejected(level, here, rest),
            _time("time_to_first_review", level, here, rest),
            _time("time_to_merge", level, here, rest),
        ]
    return tuple(sorted(found, key=lambda one: one.what))


def likelihood_outcomes(measured: Iterable[PullMeasures], now: datetime) -> Mapping[str, Lift]:
    """Return by level how often merged pull requests were reverted or followed by a fix within `FIX_WITHIN`.

    An outcome is known once that time is over.
    """
    found = []
    for one in measured:
        if one.likelihood_level not in LEVELS or not one.is_merged or one.ended_at is None:
            continue
        known_at = one.ended_at + FIX_WITHIN
        if known_at <= now:
            is_bad = one.trouble_at is not None and one.trouble_at <= known_at
            found.append((one.likelihood_level, is_bad))
    return lifts(found, LEVELS)


def _rejected(level: str, here: Sequence[PullMeasures], rest: Sequence[PullMeasures]) -> RiskLift:
    """Compare rejections: closed without a merge, or abandoned."""
    groups = [[(0.0 if one.is_merged else 1.0, 1.0) for one in group if one.is_ended] for group in (here, rest)]
    hits = [round(sum(pair[0] for pair in pairs)) for pairs in groups]
    interval = interval_of_lift(hits[0], len(groups[0]), hits[1], len(groups[1]))
    return _lift("rejected", level, groups[0], groups[1], interval)


def _time(what: str, level: str, here: Sequence[PullMeasures], rest: Sequence[PullMeasures]) -> RiskLift:
    groups: list[list[Pair]] = [
        [(seconds, 1.0) for one in group if (seconds := getattr(one, f"{what}_s")) is not None]
        for group in (here, rest)
    ]
    interval = interval_of_ratio_quotient(groups[0], groups[1])
    return _lift(what, level, groups[0], groups[1], interval)


def _lift(what: str, level: str, here: Sequence[Pair], rest: Sequence[Pair], interval: Interval | None) -> RiskLift:
    value, other = value_of(here), value_of(rest)
    return RiskLift(
        what=what,
        level=level,
        value=value,
        rest=other,
        lift=value / other if value is not None and other else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        n=len(here),
        num_rest=len(rest),
        is_too_few=min(len(here), len(rest)) < FEW,
    )
