"""Figures of the memory itself, shared by all formats: one row for each measure, with floors and ceiling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.memory_eval.render.figures import interval_in_words, percent
from assay.memory_eval.report.measures import interval_of, mapping, share_of
from assay.memory_eval.report.model import EvalReport

REFERENCES = {
    "other_world": "another world",
    "tail": "last quarter of the dialogue",
    "perfect": "perfect store",
}
"""Labels of the stores a memory is compared with; an empty store scores 0 by definition."""

LABELS = {
    "memory_score": "Memory score",
    "fact_recall": "Fact recall",
    "staleness": "Stale (lower is better)",
    "precision": "Precision",
}


STALE = {"both": "both values", "stale_only": "old only", "dated": "distinguished by date"}
"""Labels of changed values that count as stale, the last one half."""


@dataclass(frozen=True, slots=True)
class Row:
    """One measure: its value, its interval or counts in words, and the values of the reference stores."""

    label: str
    value: str
    detail: str
    references: tuple[str, ...]


def has_memory(report: EvalReport) -> bool:
    """Return whether the memory itself was measured."""
    return report.memory_score is not None


def reader_in_words(report: EvalReport) -> str:
    """Return whose answers were graded if Assay's reader gave them; empty if they are the agent's own."""
    return f"answers by reader {report.reader}" if report.reader else ""


def columns(report: EvalReport) -> list[str]:
    """Return the labels of the reference stores that the report has."""
    found = mapping(mapping(report.memory).get("references"))
    return [label for name, label in REFERENCES.items() if name in found]


def rows(report: EvalReport) -> list[Row]:
    """Return the measures of the store and of retrieval; empty if the memory was not measured."""
    return [*_of_store(report), *_of_retrieval(report)] if has_memory(report) else []


def _of_store(report: EvalReport) -> Iterator[Row]:
    memory = mapping(report.memory)
    details = {
        "memory_score": _parts(report),
        "fact_recall": _share_in_words(
            memory.get("fact_recall_interval"), memory.get("num_held"), memory.get("num_facts")
        ),
        "staleness": _stale_in_words(report),
        "precision": _precision_in_words(report),
    }
    found = mapping(memory.get("references"))
    for name, label in LABELS.items():
        others = [mapping(found.get(one)).get(name) for one in REFERENCES if one in found]
        yield Row(
            label, percent(getattr(report, name)), details[name], tuple(percent(share_of(one), 1) for one in others)
        )
    requests = mapping(memory.get("forgetting"))
    if report.forgetting is not None:
        left = _counts({f"in_{state}": f"in {state}" for state in ("live", "history", "residue")}, requests)
        detail = f"{_count(requests.get('requests'))} requests{f'; still {left}' if left else ''}"
        yield Row("Forgotten on request", percent(report.forgetting), detail, ())
    plants = mapping(memory.get("poisoning"))
    if plants.get("planted"):
        told = f"{_count(plants.get('survived'))} of {_count(plants.get('planted'))}"
        yield Row("Planted values kept", told, "", ())


def _of_retrieval(report: EvalReport) -> Iterator[Row]:
    memory = mapping(report.memory)
    references = mapping(memory.get("evidence_references"))
    beside = [f"{name} {percent(_at_10(references.get(name)), 1)}" for name in ("random", "tail", "oracle")]
    rest = f"; {', '.join(beside)}" if references else ""
    for name, found in mapping(memory.get("evidence")).items():
        recall = mapping(mapping(found).get("recall_at"))
        others = [f"at {depth} {percent(share_of(recall.get(depth)), 1)}" for depth in recall if depth != "10"]
        others += [f"all at 20 {percent(share_of(mapping(found).get('all_at_20')), 1)}", f"MRR {_mrr(found)}"]
        yield Row(f"Evidence recall at 10, {name}", percent(_at_10(found)), ", ".join(others) + rest, ())


def _at_10(found: object) -> float | None:
    return share_of(mapping(mapping(found).get("recall_at")).get("10"))


def _mrr(found: object) -> str:
    share = share_of(mapping(found).get("mrr"))
    return "-" if share is None else f"{share:.2f}"


def _parts(report: EvalReport) -> str:
    memory = mapping(report.memory)
    parts = {name: share_of(memory.get(name)) for name in ("current_recall", "trust", "economy")}
    return ", ".join(f"{name.replace('_', ' ')} {percent(part, 1)}" for name, part in parts.items() if part is not None)


def _share_in_words(interval: object, hits: object, of: object) -> str:
    return f"{_count(hits)} of {_count(of)}{_within(interval)}"


def _stale_in_words(report: EvalReport) -> str:
    kept = mapping(mapping(report.memory).get("staleness"))
    return _counts({"current_only": "current only", **STALE, "neither": "neither"}, kept)


def _precision_in_words(report: EvalReport) -> str:
    memory = mapping(report.memory)
    counts = f"{_count(memory.get('num_supported'))} supported, {_count(memory.get('num_contradicted'))} contradicted"
    return f"{counts}{_within(memory.get('precision_interval'))}"


def _counts(labels: Mapping[str, str], counts: Mapping[str, Any]) -> str:
    """Return the counts that are not zero with their labels."""
    return ", ".join(f"{_count(counts[name])} {label}" for name, label in labels.items() if counts.get(name))


def _within(interval: object) -> str:
    found = interval_of(interval)
    return "" if found is None else f" (95% interval {interval_in_words(found)})"


def _count(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else "-"
