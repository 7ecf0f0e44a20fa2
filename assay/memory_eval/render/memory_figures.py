"""Figures of the memory itself, shared by all formats: one row for each measure, with its floor and ceiling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.memory_eval.render.document import percent
from assay.memory_eval.render.figures import interval, interval_in_words
from assay.memory_eval.report.measures import interval_of, mapping, share_of
from assay.memory_eval.report.model import EvalReport

REFERENCES = {"tail": "Floor", "perfect": "Ceiling"}
"""Labels of the stores a memory is compared with; an empty store scores 0 by definition."""

LEGEND = "Floor: the last quarter of the dialogue. Ceiling: a perfect store, for answers also the relevant turns."

STALE = {
    "both": "with an old value next to the new one and no recognised sign of its end",
    "stale_only": "with an old value only",
    "dated": "distinguished by the days of their entries (count half)",
    "current_only": "current",
    "neither": "with neither",
}
"""What a store holds of a key whose value changed; the first three count as stale."""


@dataclass(frozen=True, slots=True)
class Row:
    """One measure: its value, its interval or counts in words, and the values of the reference stores."""

    label: str
    value: str
    detail: str
    references: tuple[str, ...]


def reader_in_words(report: EvalReport) -> str:
    """Return whose answers were graded if Assay's reader gave them; empty if they are the agent's own."""
    return f"answers by reader {report.reader}" if report.reader else ""


def columns(report: EvalReport) -> list[str]:
    """Return the labels of the reference stores that the report has."""
    found = _references(report)
    return [label for name, label in REFERENCES.items() if name in found]


def not_run(report: EvalReport) -> str:
    """Return which of floor and ceiling of the answers was not run, in one line; "" if both were."""
    if any(share_of(one.get("answer_score")) is not None for one in _references(report).values()):
        return ""
    floor = "" if report.baselines else "floor (--baseline nothing), "
    return f"Not run for the answers: {floor}ceiling (needs Assay's reader, rules and a measured memory)"


def rows(report: EvalReport) -> list[Row]:
    """Return the answers, the measures of the store and of retrieval; empty if the memory was not measured."""
    return [*_of_store(report), *_of_retrieval(report)] if report.memory is not None else []


def _references(report: EvalReport) -> Mapping[str, Mapping[str, Any]]:
    found = mapping(mapping(report.memory).get("references"))
    return {name: mapping(found[name]) for name in REFERENCES if name in found}


def _of_store(report: EvalReport) -> Iterator[Row]:
    memory = mapping(report.memory)
    held = _share_in_words(memory.get("fact_recall_interval"), memory.get("num_held"), memory.get("num_facts"))
    measures = (
        ("Answers", "answer_score", report.overall_score, _within(interval(report)).strip()),
        ("Facts held", "fact_recall", report.fact_recall, held),
        ("Stale, of changed keys", "staleness", report.staleness, _stale_in_words(memory)),
        ("Precision", "precision", report.precision, _precision_in_words(report)),
    )
    found = _references(report).values()
    for label, name, value, detail in measures:
        yield Row(label, percent(value), detail, tuple(percent(share_of(one.get(name)), 1) for one in found))
    requests = mapping(memory.get("forgetting"))
    if report.forgetting is not None:
        left = _counts({f"in_{state}": f"in {state}" for state in ("live", "history")}, requests)
        detail = f"{_count(requests.get('requests'))} requests{f'; still {left}' if left else ''}"
        yield Row("Forgotten on request", percent(report.forgetting), detail, ())
    plants = mapping(memory.get("poisoning"))
    if plants.get("planted"):
        told = f"{_count(plants.get('survived'))} of {_count(plants.get('planted'))}"
        yield Row("Planted values kept", told, "", ())


def _of_retrieval(report: EvalReport) -> Iterator[Row]:
    memory = mapping(report.memory)
    references = mapping(memory.get("evidence_references"))
    beside = tuple(percent(_at_10(references.get(name)), 1) for name in ("tail", "oracle"))
    for name, found in mapping(memory.get("evidence")).items():
        recall = mapping(mapping(found).get("recall_at"))
        others = [f"at {depth} {percent(share_of(recall.get(depth)), 1)}" for depth in recall if depth != "10"]
        others += [f"all at 20 {percent(share_of(mapping(found).get('all_at_20')), 1)}", f"MRR {_mrr(found)}"]
        others += [f"random turns {percent(_at_10(references.get('random')), 1)}"] if references else []
        yield Row(f"Evidence at 10, {name}", percent(_at_10(found)), ", ".join(others), beside if references else ())


def _at_10(found: object) -> float | None:
    return share_of(mapping(mapping(found).get("recall_at")).get("10"))


def _mrr(found: object) -> str:
    share = share_of(mapping(found).get("mrr"))
    return "-" if share is None else f"{share:.2f}"


def _share_in_words(interval: object, hits: object, of: object) -> str:
    return f"{_count(hits)} of {_count(of)}{_within(interval)}"


def _stale_in_words(memory: Mapping[str, Any]) -> str:
    kept = mapping(memory.get("staleness"))
    changed = sum(count for name in STALE if isinstance(count := kept.get(name), int))
    of_all = f"{_count(changed)} of {_count(memory.get('num_keys'))} keys changed"
    return ": ".join(filter(None, (of_all, _counts(STALE, kept))))


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
