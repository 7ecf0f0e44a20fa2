"""The memory of several worlds in one report: each row's counts are added, and the facts are put in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.memory_eval.report.measures import is_number, mapping, mean_of_numbers
from assay.memory_eval.report.model import MEMORY_ROWS, EvalReport
from assay.statistics import bounds_of_rate

_SUMS = ("num_entries", "num_judged", "planted", "planted_kept")
_MOST_EXAMPLES = 3


def merged_memory(reports: Sequence[EvalReport]) -> dict[str, Any] | None:
    """Return the memory of all worlds together; None unless every report has one."""
    memories = [mapping(report.memory) for report in reports]
    if not memories or not all(memories):
        return None
    rows = {name: _row([report.memory_row(name) for report in reports], name) for name in MEMORY_ROWS}
    answers = [mapping(one.get("answers")) for one in memories]
    examples = [example for one in memories if isinstance(one.get("examples"), list) for example in one["examples"]]
    return {
        "source": memories[0].get("source"),
        **{name: row for name, row in rows.items() if row},
        "answers": {name: mean_of_numbers([one.get(name) for one in answers]) for name in ("floor", "ceiling")},
        **{name: sum(int(one[name]) for one in memories if is_number(one.get(name))) for name in _SUMS},
        "examples": examples[:_MOST_EXAMPLES],
        "facts_digest": " ".join(str(one.get("facts_digest")) for one in memories),
        "held": " ".join(str(one.get("held", "")) for one in memories),
    }


def _row(rows: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    """Return a row over all worlds, each weighted by its number; the interval of "found" is the mean one."""
    total = sum(int(row.get("n", 0)) for row in rows)
    if not total or not all(rows):
        return {}

    def weighted(key: str) -> float | None:
        known = [(row[key], row.get("n", 0)) for row in rows if key in row]
        weight = sum(num for _, num in known)
        return sum(value * num for value, num in known) / weight if weight else None

    merged: dict[str, Any] = {key: weighted(key) for key in ("value", "low", "high", "floor", "ceiling")}
    if name == "found":
        merged["mrr"] = weighted("mrr")
    elif merged["value"] is not None:
        merged["low"], merged["high"] = bounds_of_rate(round(merged["value"] * total), total) or (None, None)
    return {**merged, "n": total}
