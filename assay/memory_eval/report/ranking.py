"""Ranking of several evaluations: one row for each agent, its runs averaged, then floors and ceiling."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.report.measures import interval_of, is_number, mapping, mean_of_numbers
from assay.memory_eval.report.merge import MUST_AGREE, exams_of, merge_reports
from assay.memory_eval.report.model import SCHEMA_VERSION, EvalReport

By = Literal["answer_score", "fact_recall", "evidence_recall_at_10"]
ORDERS: tuple[By, ...] = get_args(By)
"""Figures that agents can be ranked by."""

DEPTH = "10"
"""Depth of the evidence recall in the table."""

REFERENCES = {
    "empty store": ("empty", ""),
    "random turns": ("", "random"),
    "last quarter of the dialogue": ("tail", "tail"),
    "perfect store": ("perfect", "oracle"),
}
"""Floors and ceiling: the name of each, and its keys among the references of the store and of retrieval."""

MEASURES = (
    "learn_p50_s",
    "learn_p95_s",
    "search_p50_s",
    "search_p95_s",
    "answer_p50_s",
    "answer_p95_s",
    "context_tokens_mean",
    "store_bytes",
    "store_bytes_per_turn",
    "tokens_per_correct",
    "cost_per_correct_usd",
)
"""Measures of a row, by their names in `EvalReport.measured`."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One agent: means over its runs. Shares from 0 to 1, times in seconds; None for what was not measured."""

    agent: str
    system: str = ""
    embedder: str = ""
    reader: str = ""
    num_runs: int = 0
    fact_recall: float | None = None
    staleness: float | None = None
    precision: float | None = None
    forgetting: float | None = None
    evidence_recall_at_10: float | None = None
    mrr: float | None = None
    answer_score: float | None = None
    answer_interval: tuple[float, float] | None = None
    measures: Mapping[str, float | None] | None = None

    def order(self, by: By) -> tuple[float, ...]:
        """Return the key by which the best comes first: by one figure, then by the others."""
        keys = [getattr(self, name) for name in (by, *(other for other in ORDERS if other != by))]
        return tuple(1.0 if key is None else -key for key in keys)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Agents on exams of the same size, best first; `references` are floors and ceiling on the same exams."""

    num_turns: int
    num_questions: int
    exams: tuple[str, ...]
    grading: str
    world_version: str
    by: By
    comparable: bool
    rows: tuple[Ranked, ...]
    references: tuple[Ranked, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the ranking as plain data."""
        return {"schema_version": SCHEMA_VERSION, **asdict(self)}


def rank_reports(reports: Sequence[EvalReport], by: By = "answer_score") -> Ranking:
    """Rank reports by one figure; those with the same agent, system, embedder and reader are runs of one row.

    Raises `ExamUsageError` for invalid runs, for exams of different sizes or gradings, and for public exams among
    secret ones.
    """
    _check(reports)
    groups: dict[tuple[str, ...], list[EvalReport]] = {}
    for report in reports:
        groups.setdefault((report.agent, report.system, report.embedder, report.reader), []).append(report)
    rows = sorted((_row(group) for group in groups.values()), key=lambda row: row.order(by))
    first = reports[0]
    exams = [sorted(exam for report in group for exam in exams_of(report)) for group in groups.values()]
    return Ranking(
        num_turns=first.num_turns,
        num_questions=first.num_questions,
        exams=tuple(dict.fromkeys(exam for some in exams for exam in some)),
        grading=first.grading,
        world_version=first.world_version,
        by=by,
        comparable=first.comparable,
        rows=tuple(rows),
        references=tuple(_references(reports)),
        notes=tuple(_notes(exams, rows)),
    )


def _check(reports: Sequence[EvalReport]) -> None:
    if not reports:
        raise ExamUsageError("nothing to rank")
    for report in reports:
        if not report.valid:
            raise ExamUsageError(f"{report.agent}: an invalid run has no rank: {report.why_invalid}")
    if len({report.comparable for report in reports}) > 1:
        open_one = next(report for report in reports if not report.comparable)
        raise ExamUsageError(
            f"{open_one.agent} is not comparable with the secret exams: its agent could know the exam",
            code="memory.not-comparable",
        )
    for what in MUST_AGREE:
        if len(found := {str(getattr(report, what))[:40] for report in reports}) > 1:
            raise ExamUsageError(f"the reports cannot be ranked: {what} is {', '.join(sorted(found))}")


def _row(group: Sequence[EvalReport]) -> Ranked:
    merged = merge_reports(group) if len(group) > 1 else group[0]
    return Ranked(
        agent=merged.agent,
        system=merged.system,
        embedder=merged.embedder,
        reader=merged.reader,
        num_runs=len(group),
        fact_recall=merged.fact_recall,
        staleness=merged.staleness,
        precision=merged.precision,
        forgetting=merged.forgetting,
        evidence_recall_at_10=merged.evidence_recall_at.get(DEPTH),
        mrr=merged.mrr,
        answer_score=merged.overall_score,
        answer_interval=interval_of(mapping(merged.measured.get("intervals")).get("overall")),
        measures={name: _number(merged.measured.get(name)) for name in MEASURES},
    )


def _references(reports: Iterable[EvalReport]) -> Iterable[Ranked]:
    """Yield floors and ceiling, each exam counted once."""
    exams = {tuple(exams_of(report)): mapping(report.memory) for report in reports if report.memory}
    stores = [mapping(memory.get("references")) for memory in exams.values()]
    found = [mapping(memory.get("evidence_references")) for memory in exams.values()]
    for name, (of_store, of_retrieval) in REFERENCES.items():
        held = [mapping(one.get(of_store)) for one in stores]
        evidence = [mapping(one.get(of_retrieval)) for one in found]
        row = Ranked(
            name,
            fact_recall=mean_of_numbers(one.get("fact_recall") for one in held),
            staleness=mean_of_numbers(one.get("staleness") for one in held),
            precision=mean_of_numbers(one.get("precision") for one in held),
            evidence_recall_at_10=mean_of_numbers(mapping(one.get("recall_at")).get(DEPTH) for one in evidence),
            mrr=mean_of_numbers(one.get("mrr") for one in evidence),
            answer_score=mean_of_numbers(one.get("answer_score") for one in held),
        )
        if row.fact_recall is not None or row.evidence_recall_at_10 is not None:
            yield row


def _notes(exams: Sequence[Sequence[str]], rows: Sequence[Ranked]) -> Iterable[str]:
    if len({tuple(one) for one in exams}) > 1:
        yield "the agents had different exams: differences within their intervals mean nothing"
    if len(readers := {row.reader for row in rows}) > 1:
        named = ", ".join(sorted(reader or "the agents' own" for reader in readers))
        yield f"the answer scores are by different readers: {named}"


def _number(value: object) -> float | None:
    return float(value) if is_number(value) else None
