"""Memory figures of several worlds in one report: counts are added, shares averaged, and facts put in a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.memory_eval.report.measures import mapping, mean_of_numbers
from assay.statistics import bounds_of_rate

_SUMS = tuple(
    "num_facts num_held num_keys num_current num_current_held num_entries num_supported num_contradicted".split()
)
_GROUPS = ("staleness", "poisoning", "forgetting")
_MEANS = ("current_recall", "words_stored_per_word_told")


def merged_memory(memories: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Return the details of all worlds together; None unless every report has them."""
    if not memories or not all(memories):
        return None
    sums = {name: _sum(memories, name) for name in _SUMS}
    return {
        "source": memories[0].get("source"),
        **sums,
        **{name: mean_of_numbers([one.get(name) for one in memories]) for name in _MEANS},
        **{name: _added([mapping(one.get(name)) for one in memories]) for name in _GROUPS},
        "fact_recall_interval": bounds_of_rate(sums["num_held"], sums["num_facts"]),
        "current_recall_interval": bounds_of_rate(sums["num_current_held"], sums["num_current"]),
        "precision_interval": bounds_of_rate(sums["num_supported"], sums["num_supported"] + sums["num_contradicted"]),
        "references": _averaged([mapping(one.get("references")) for one in memories]),
        "evidence": _averaged([mapping(one.get("evidence")) for one in memories]),
        "evidence_references": _averaged([mapping(one.get("evidence_references")) for one in memories]),
        "facts_digest": " ".join(str(one.get("facts_digest")) for one in memories),
        "held": " ".join(str(one.get("held", "")) for one in memories),
    }


def _sum(rows: Sequence[Mapping[str, Any]], name: str) -> int:
    return sum(value for row in rows if isinstance(value := row.get(name), int))


def _added(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    names = dict.fromkeys(name for row in rows for name, value in row.items() if isinstance(value, int))
    return {name: _sum(rows, name) for name in names}


def _averaged(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the mean of every number, at any depth, under the keys that all rows have."""
    found: dict[str, Any] = {}
    for name in (name for name in rows[0] if all(name in row for row in rows)):
        values = [row[name] for row in rows]
        are_groups = all(isinstance(value, Mapping) for value in values)
        found[name] = _averaged(values) if are_groups else mean_of_numbers(values)
    return found
