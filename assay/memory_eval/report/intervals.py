"""Confidence intervals of a report's overall and category scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from assay.memory_eval.report.model import EvalReport, EvalResult, by_category
from assay.statistics import LEVEL, interval_of_scores


def with_intervals(report: EvalReport, groups: Sequence[Sequence[EvalResult]] | None = None) -> EvalReport:
    """Return the report with `measured["intervals"]`; `groups` are the results of each seed, if several."""
    groups = [report.results] if groups is None else groups
    of_categories = [by_category(group) for group in groups]
    names = sorted({result.category for result in report.results})
    intervals = {
        "level": LEVEL,
        "overall": _interval(_scores(group) for group in groups),
        "categories": {name: _interval(_scores(of.get(name, ())) for of in of_categories) for name in names},
    }
    return replace(report, measured={**report.measured, "intervals": intervals})


def _interval(groups: Iterable[list[float]]) -> list[float] | None:
    found = interval_of_scores(list(groups))
    return None if found is None else [found.low, found.high]


def _scores(results: Sequence[EvalResult]) -> list[float]:
    return [one.score for one in results if one.score is not None]
