"""Figures of a run, by kind of change and in all; None where nothing was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assay.statistics import Interval, interval_of_rate, interval_of_scores, mean, percentile
from tests.review_bench.bench.manifest import Kind
from tests.review_bench.bench.results import BenchRun, MeasuredChange, ModelPart

MOST_FALSE = 5.0
"""Findings that a change can have at most by default, for intervals where all changes have the same number."""
INVENTED = ("unknown_file", "quote_missing", "evidence_missing")
"""Reasons of dropped claims that name a file or text that does not exist."""
ALL = "all"
VERIFIED = "- verified"
UNVERIFIED = "- not verified"


@dataclass(frozen=True, slots=True)
class Rate:
    """Share of changes, with its 95 % interval."""

    hits: int
    num: int
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Average:
    """Mean over changes, with its 95 % interval; None without changes."""

    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class ModelFigures:
    """Figures of the reviews by a model.

    `invented` are reported findings with a file or quote that does not exist, `invented_dropped` such claims that were
    dropped. `obeyed` is the number of changes whose report has the word an instruction asks for.
    """

    num: int
    found: Rate | None
    findings: Average
    elsewhere: Average
    invented: int
    invented_dropped: int
    num_claims: int
    dropped: dict[str, int]
    demonstrated: int
    refuted: int
    obeyed: int
    cost_usd: float | None
    cost_p50_usd: float | None
    cost_p95_usd: float | None
    cached_share: float | None
    seconds_p50: float | None
    seconds_p95: float | None
    unanswered: int
    stopped: int


@dataclass(frozen=True, slots=True)
class KindFigures:
    """Figures of a group of changes; rates of finding count changes with a fault alone."""

    name: str
    num: int
    errors: int
    found_static: Rate | None
    found: Rate | None
    findings_static: Average
    seconds_static_p50: float | None
    seconds_static_p95: float | None
    model: ModelFigures | None


def figures_of(run: BenchRun) -> list[KindFigures]:
    """Return the figures by kind, of reversed fixes with and without verification, and in all."""
    groups = {str(kind): [one for one in run.changes if one.kind is kind] for kind in Kind}
    fixes = groups[Kind.reversed_fix]
    if len({one.is_verified for one in fixes}) > 1:
        groups[VERIFIED] = [one for one in fixes if one.is_verified]
        groups[UNVERIFIED] = [one for one in fixes if not one.is_verified]
    order = [name for kind in Kind for name in ((kind, VERIFIED, UNVERIFIED) if kind is Kind.reversed_fix else (kind,))]
    found = [_figures(str(name), groups[name]) for name in order if groups.get(name)]
    return [*found, _figures(ALL, run.changes)]


def figures_data(figures: Iterable[KindFigures]) -> dict[str, Any]:
    """Return the figures as JSON."""
    return {one.name: {name: value for name, value in asdict(one).items() if name != "name"} for one in figures}


def _figures(name: str, changes: Sequence[MeasuredChange]) -> KindFigures:
    done = [one for one in changes if one.error is None]
    with_bug = [one for one in done if one.kind.has_bug]
    static = [one.static for one in done if one.static is not None]
    seconds = [one.seconds for one in static]
    return KindFigures(
        name=name,
        num=len(done),
        errors=sum(one.error is not None for one in changes),
        found_static=_rate([one.static is not None and one.static.found is True for one in with_bug]),
        found=_rate([one.found for one in with_bug]),
        findings_static=average([one.num_findings for one in static]),
        seconds_static_p50=percentile(seconds, 50),
        seconds_static_p95=percentile(seconds, 95),
        model=_of_model([(one, one.model) for one in done if one.model is not None]),
    )


def _of_model(changes: Sequence[tuple[MeasuredChange, ModelPart]]) -> ModelFigures | None:
    if not changes:
        return None
    parts = [part for _, part in changes]
    costs = [part.cost_usd for part in parts if part.cost_usd is not None]
    is_priced = len(costs) == len(parts)
    dropped: dict[str, int] = {}
    for part in parts:
        for reason, count in part.dropped.items():
            dropped[reason] = dropped.get(reason, 0) + count
    tokens_in = sum(part.num_tokens_in for part in parts)
    seconds = [part.seconds for part in parts]
    return ModelFigures(
        num=len(parts),
        found=_rate([part.found is True for one, part in changes if one.kind.has_bug]),
        findings=average([part.num_findings for part in parts]),
        elsewhere=average([part.num_elsewhere for part in parts]),
        invented=sum(part.num_invented for part in parts),
        invented_dropped=sum(dropped.get(reason, 0) for reason in INVENTED),
        num_claims=sum(part.num_claims for part in parts),
        dropped=dict(sorted(dropped.items())),
        demonstrated=sum(part.num_demonstrated for part in parts),
        refuted=dropped.get("refuted", 0),
        obeyed=sum(part.has_obeyed for part in parts),
        cost_usd=sum(costs) if is_priced else None,
        cost_p50_usd=percentile(costs, 50) if is_priced else None,
        cost_p95_usd=percentile(costs, 95) if is_priced else None,
        cached_share=sum(part.num_tokens_cached for part in parts) / tokens_in if tokens_in else None,
        seconds_p50=percentile(seconds, 50),
        seconds_p95=percentile(seconds, 95),
        unanswered=sum(part.num_unanswered for part in parts),
        stopped=sum(part.stopped is not None for part in parts),
    )


def _rate(hits: Sequence[bool]) -> Rate | None:
    return Rate(sum(hits), len(hits), interval_of_rate(sum(hits), len(hits))) if hits else None


def average(values: Sequence[float]) -> Average:
    """Return the mean of counts over changes, with its interval."""
    most = max(MOST_FALSE, *values) if values else MOST_FALSE
    return Average(mean(values), interval_of_scores([values], bounds=(0.0, most)))
