"""How sure a report's figures are: what `measured` says of the overall score's and the categories' intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from assay.memory_eval.report import EvalReport, EvalResult
from assay.memory_eval.statistics import LEVEL, interval_of


def with_intervals(report: EvalReport, groups: Sequence[Sequence[EvalResult]] | None = None) -> EvalReport:
    """The report with `measured["intervals"]`; `groups` are the results of each seed where there are several."""
    groups = [report.results] if groups is None else groups
    names = sorted({result.category for result in report.results})
    intervals = {
        "level": LEVEL,
        "overall": _interval(_scores(group) for group in groups),
        "categories": {name: _interval(_scores(group, name) for group in groups) for name in names},
    }
    return replace(report, measured={**report.measured, "intervals": intervals})


def _interval(groups: Iterable[list[float]]) -> list[float] | None:
    found = interval_of(list(groups))
    return None if found is None else [found.low, found.high]


def _scores(results: Sequence[EvalResult], category: str | None = None) -> list[Any]:
    return [one.score for one in results if one.score is not None and category in (None, one.category)]
