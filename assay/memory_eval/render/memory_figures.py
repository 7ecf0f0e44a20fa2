"""Figures of the memory itself, shared by all formats: one row for each measure, with its floor and ceiling."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.memory_eval.render.document import percent
from assay.memory_eval.render.figures import interval, interval_in_words
from assay.memory_eval.report.measures import interval_of, is_number, mapping, share_of
from assay.memory_eval.report.model import EvalReport

COLUMNS = ("", "Value", "Floor", "Ceiling", "95% interval")
LEGEND = (
    "Floor: the last quarter of the dialogue. Ceiling: a perfect store; for what is found and answered, the relevant"
    " turns. Higher is better in every row."
)
MEASURES = {
    "kept": ("Kept", "facts stated"),
    "found": ("Found", "questions with evidence"),
    "current": ("Current", "changed values it holds"),
    "clean": ("Clean", "statements"),
    "forgot": ("Forgot", "requests to forget"),
}
"""Each row of the memory, its label and what is counted."""


@dataclass(frozen=True, slots=True)
class Row:
    """One measure: its value, those of the reference stores, and what was counted."""

    label: str
    value: str
    floor: str
    ceiling: str
    detail: str


def rows(report: EvalReport) -> list[Row]:
    """Return the measures of the memory and the answers; empty if the memory was not measured."""
    return [*_measured(report), _answers(report)] if report.memory is not None else []


def examples(report: EvalReport) -> list[str]:
    """Return what to fix first in the store."""
    found = mapping(report.memory).get("examples")
    return [one for one in found if isinstance(one, str)] if isinstance(found, list | tuple) else []


def not_run(report: EvalReport) -> str:
    """Return which of floor and ceiling of the answers was not run, in one line; "" if both were."""
    if any(share_of(one) is not None for one in mapping(mapping(report.memory).get("answers")).values()):
        return ""
    floor = "" if report.baselines else "floor (--baseline nothing), "
    return f"Not run for the answers: {floor}ceiling (needs Assay's reader, rules and a measured memory)"


def _measured(report: EvalReport) -> Iterator[Row]:
    for name, (label, counted) in MEASURES.items():
        row = report.memory_row(name)
        if not row.get("n"):
            continue
        told = [f"{_within((row.get('low'), row.get('high')))}of {row['n']:,.0f} {counted}"]
        if name == "found" and is_number(row.get("mrr")):
            told.append(f"MRR {row['mrr']:.2f}")
        if name == "clean" and (planted := _planted(report)):
            told.append(planted)
        value, floor, ceiling = (percent(share_of(row.get(key)), 1) for key in ("value", "floor", "ceiling"))
        yield Row(label, value, floor, ceiling, "; ".join(told))


def _answers(report: EvalReport) -> Row:
    beside = mapping(mapping(report.memory).get("answers"))
    floor, ceiling = (percent(share_of(beside.get(key)), 1) for key in ("floor", "ceiling"))
    told = f"{_within(interval(report))}of {report.num_questions:,} questions"
    return Row("Answers", percent(report.overall_score, 1), floor, ceiling, told)


def _planted(report: EvalReport) -> str:
    memory = mapping(report.memory)
    num, of = memory.get("planted_kept"), memory.get("planted")
    return f"{num:,} of {of:,} planted values kept" if isinstance(num, int) and isinstance(of, int) and of else ""


def _within(pair: Any) -> str:
    found = interval_of(pair)
    return "" if found is None else f"{interval_in_words(found)} "
