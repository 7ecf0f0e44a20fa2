"""Aggregate of evaluations with several seeds: the same agent, other worlds; a mean and its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import stdev
from typing import Any

from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.report.measures import is_number, mapping, mean_of_numbers, merged_measures, report_of
from assay.memory_eval.report.model import MEMORY_ROWS, EvalReport, EvalResult
from assay.statistics import bounds_of_rate, mean

# ------------------ merge memory

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


# ------------------ merge

MUST_AGREE = ("num_turns", "num_questions", "grading", "grader_votes", "world_version")


def merge_reports(reports: Sequence[EvalReport]) -> EvalReport:
    """Merge reports of different seeds into one; questions are named `seed:id`.

    Raises `ExamUsageError` for a repeated or missing seed, and for evaluations with different settings.
    """
    _check(reports)
    ordered = sorted(reports, key=lambda report: report.seed or 0)
    groups = [[_named(report, result) for result in report.results] for report in ordered]
    results = [result for group in groups for result in group]
    invalid = [f"seed {report.seed}: {report.why_invalid}" for report in ordered if not report.valid]
    first = ordered[0]
    same = ("num_turns", "agent", "grading", "grader_votes", "world_version", "reader", "system", "embedder")
    sums = ("total_facts_delivered", "learning_time_s", "questioning_time_s", "grading_time_s")
    return report_of(
        results,
        {**merged_measures([report.measured for report in ordered]), "seeds": _by_seed(ordered)},
        groups,
        valid=not invalid,
        why_invalid="; ".join(invalid) or None,
        judge=_judges(ordered),
        baselines=_baselines(ordered),
        notes=_notes(ordered),
        memory=merged_memory(ordered),
        comparable=all(report.comparable for report in ordered),
        **{name: getattr(first, name) for name in same},
        **{name: sum(getattr(report, name) for report in ordered) for name in sums},
    )


def _check(reports: Sequence[EvalReport]) -> None:
    if not reports:
        raise ExamUsageError("nothing to merge")
    seeds = [report.seed for report in reports]
    for seed in seeds:
        if seed is None:
            raise ExamUsageError("a report without a seed (of a world of your own, or merged already) cannot be merged")
        if seeds.count(seed) > 1:
            raise ExamUsageError(f"two reports of seed {seed}: each exam is merged once")
    if len({report.comparable for report in reports}) > 1:
        raise ExamUsageError(
            "secret exams cannot be merged with others, whose agent could know the exam", code="memory.not-comparable"
        )
    for what in MUST_AGREE:
        found = {getattr(report, what) for report in reports}
        if len(found) > 1:
            some = ", ".join(sorted(str(one)[:40] for one in found))
            raise ExamUsageError(f"the reports cannot be merged: {what} is {some}")


def _named(report: EvalReport, result: EvalResult) -> EvalResult:
    return replace(result, question_id=f"{report.seed}:{result.question_id}")


def _by_seed(reports: Sequence[EvalReport]) -> dict[str, Any]:
    each = [{name: getattr(report, name) for name in ("seed", "overall_score", "valid")} for report in reports]
    scores = [report.overall_score for report in reports if report.overall_score is not None]
    return {"each": each, "mean": mean(scores), "deviation": stdev(scores) if len(scores) > 1 else None}


def _judges(reports: Sequence[EvalReport]) -> dict[str, Any] | None:
    """Return the judges' summed costs; rates and names of the first report, if all agree."""
    judges = [report.judge for report in reports if report.judge]
    if not judges:
        return None
    merged: dict[str, Any] = {}
    for key in judges[0]:
        values = [judge.get(key) for judge in judges]
        numbers = [float(value) for value in values if is_number(value)]
        if len(numbers) < len(values):
            merged[key] = values[0] if all(value == values[0] for value in values) else values
        else:
            merged[key] = sum(numbers) if key.startswith(("num_", "tokens_", "cost_", "calls")) else mean(numbers)
    return merged


def _baselines(reports: Sequence[EvalReport]) -> list[dict[str, Any]]:
    """Return the baselines of every seed, in the first's order; a category is weighted by its questions."""
    named = [{str(one.get("name")): one for one in report.baselines} for report in reports]
    shared = [name for name in named[0] if all(name in one for one in named)]
    return [
        {
            "name": name,
            "overall_score": mean_of_numbers(one[name].get("overall_score") for one in named),
            "category_scores": _categories(reports, [mapping(one[name].get("category_scores")) for one in named]),
        }
        for name in shared
    ]


def _categories(reports: Sequence[EvalReport], scores: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    weighed: dict[str, list[float]] = {}
    for report, of_one in zip(reports, scores, strict=True):
        for row in report.category_breakdown:
            score = of_one.get(row.category)
            if is_number(score):
                weighed.setdefault(row.category, []).extend([float(score or 0.0)] * row.num_questions)
    return {name: mean(weighed[name]) for name in sorted(weighed)}


def _notes(reports: Sequence[EvalReport]) -> list[str]:
    notes = list(dict.fromkeys(note for report in reports for note in report.notes))
    agents = list(dict.fromkeys(report.agent for report in reports))
    return [*notes, f"the agents are named differently: {', '.join(agents)[:300]}"] if len(agents) > 1 else notes
