"""Figures shared by all formats: the memory by row, percentages, worst questions, weak categories, measures."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.memory_eval.render.document import percent
from assay.memory_eval.report.measures import interval_of, is_number, mapping, share_of
from assay.memory_eval.report.model import WEAK_BELOW, CategoryBreakdown, EvalReport, EvalResult

# ------------------ figures

NUM_WORST = 5
_ABSTAINS = re.compile(
    r"\W*(?:i (?:do not|don't|cannot|can't)|unknown|no (?:information|record)|you (?:have )?never)\b", re.IGNORECASE
)

CONSEQUENCES = {
    "selective_forgetting": 3,
    "poisoning_resistance": 3,
    "abstention": 2,
    "premise_rejection": 2,
    "knowledge_update": 1,
    "temporal_trap": 1,
    "contradiction_resolution": 1,
    "adversarial_distractor": 1,
    "distractor_resistance": 1,
}
"""How grave a wrong answer is: 3 for a forgotten or planted value, 2 for an invented one, 1 for an old or other one."""
KNOWN_EXAM = "Not comparable: the seed was given or the exam is in files, so the agent could know the exam"
MAYBE = f"Below {WEAK_BELOW:.0%}, possibly by chance: ask more questions or seeds"


@dataclass(frozen=True, slots=True)
class Baseline:
    """Another agent's scores on the same questions."""

    name: str
    overall: float | None
    categories: Mapping[str, float]


def reasons_not_graded(report: EvalReport) -> list[tuple[str, int]]:
    """Return (reason, number of questions) for ungraded questions, the most frequent first."""
    return Counter(why for _, why in not_graded(report)).most_common()


def not_graded(report: EvalReport) -> list[tuple[str, str]]:
    """Return (question, reason) of each question without a score."""
    return [
        (result.question_id, result.why_not_graded or "not graded") for result in report.results if result.score is None
    ]


def worst(report: EvalReport) -> list[EvalResult]:
    """Return the lowest-scoring questions, worst first, without those with a full score.

    Of equal scores the one with the graver consequence comes first: an answer before none, by its category, then the
    more confident one.
    """
    graded = [result for result in report.results if result.score is not None and result.score < 1.0]
    return sorted(graded, key=_gravity)[:NUM_WORST]


def _gravity(result: EvalResult) -> tuple[float, bool, int, float]:
    said = result.answer.strip()
    says_nothing = result.error is not None or result.given_value is None or not said or bool(_ABSTAINS.match(said))
    return result.score or 0.0, says_nothing, -CONSEQUENCES.get(result.category, 0), -(result.confidence or 0.0)


def weakness(report: EvalReport) -> str:
    """Return what a systematic weakness is, and of whom if Assay's reader gave the answers."""
    of_reader = f"; Assay's reader {report.reader} with this memory" if report.reader else ""
    return f"below {WEAK_BELOW:.0%}, beyond chance{of_reader}"


def weak(report: EvalReport) -> list[CategoryBreakdown]:
    """Return the weak categories, weakest first: their whole interval is too low."""
    return [one for one in _low(report) if _is_surely_low(report, one)]


def maybe_weak(report: EvalReport) -> list[CategoryBreakdown]:
    """Return the categories with a low score but too few questions to exclude chance, weakest first."""
    return [one for one in _low(report) if not _is_surely_low(report, one)]


def _low(report: EvalReport) -> list[CategoryBreakdown]:
    found = [one for one in report.category_breakdown if one.avg_score is not None and one.avg_score < WEAK_BELOW]
    return sorted(found, key=lambda one: (one.avg_score or 0.0, one.category))


def _is_surely_low(report: EvalReport, one: CategoryBreakdown) -> bool:
    found = interval(report, one.category)
    return found is not None and found[1] < WEAK_BELOW


def baselines(report: EvalReport) -> list[Baseline]:
    """Return the valid baselines of a report."""
    return [
        Baseline(
            str(one.get("name", "")),
            share_of(one.get("overall_score")),
            {
                str(name): score
                for name, value in mapping(one.get("category_scores")).items()
                if (score := share_of(value)) is not None
            },
        )
        for one in report.baselines
    ]


def interval(report: EvalReport, category: str | None = None) -> tuple[float, float] | None:
    """Return the 95 % interval of the overall score, or of a category's; None if there is none."""
    found = mapping(report.measured.get("intervals"))
    pair = found.get("overall") if category is None else mapping(found.get("categories")).get(category)
    return interval_of(pair)


def interval_in_words(pair: tuple[float, float] | None) -> str:
    """Return (0.571, 0.678) as "57.1 to 67.8%"."""
    return "" if pair is None else f"{pair[0] * 100:.1f} to {pair[1]:.1%}"


def seeds(report: EvalReport) -> list[tuple[str, float | None]]:
    """Return (seed, score) of each evaluation that was merged into this one."""
    each = mapping(report.measured.get("seeds")).get("each")
    rows = [one for one in each if isinstance(one, Mapping)] if isinstance(each, (list, tuple)) else []
    return [(str(one.get("seed")), share_of(one.get("overall_score"))) for one in rows]


def exam_in_words(report: EvalReport) -> str:
    """Return the exam in one line."""
    told = f"{counted(report.num_questions, 'question')} on {counted(report.num_turns, 'turn')}"
    facts = counted(report.total_facts_delivered, "fact") if report.total_facts_delivered else ""
    several = [name for name, _ in seeds(report)]
    if several:
        about = f" each, {facts} in all" if facts else " each"
        seed = f", seeds {', '.join(several)}"
    else:
        about = f" with {facts}" if facts else ""
        seed = f", seed {report.seed}" if report.seed is not None else ""
    votes = f", {report.grader_votes} votes" if report.grading != "deterministic" and report.grader_votes > 1 else ""
    return f"{told}{about}{seed}; {report.grading} grading{votes}"


def not_comparable(report: EvalReport) -> str:
    """Return why the score is not comparable with others, in words; "" if it is."""
    return "" if report.comparable else KNOWN_EXAM


def parts(report: EvalReport) -> list[tuple[str, str]]:
    """Return (label, value) rows of the parts that took part: memory system, embedder, reader."""
    rows = (("memory system", report.system), ("embedder", report.embedder), ("reader", report.reader))
    return [(name, value) for name, value in rows if value]


def exam_rows(report: EvalReport) -> list[tuple[str, str]]:
    """Return (label, value) rows of what reproduces the exam."""
    size = f"--turns {report.num_turns} --questions {report.num_questions}"
    return [] if report.seed is None else [("reproduce by", f"{size} --seed {report.seed}")]


def counted(num: int, what: str) -> str:
    """Return a count with its noun: "1 question", "1,000 questions"."""
    return f"{num:,} {what}" if num == 1 else f"{num:,} {what}s"


def measures(report: EvalReport) -> Iterator[tuple[str, str]]:
    """Yield (label, value) of every measure."""
    times_s = {
        "learning": report.learning_time_s,
        "questioning, grading included": report.questioning_time_s,
        "grading": report.grading_time_s,
    }
    # Offline answers have no asking phase.
    yield from ((name, seconds(time_s)) for name, time_s in times_s.items() if time_s)
    yield from parts(report)
    yield from _flat(report.measured, skip=("intervals", "seeds"))
    yield from _flat(report.memory_stats, prefix="memory: ", skip=("bytes", "entries", "system", "embedder"))


def judge_rows(report: EvalReport) -> list[tuple[str, str]]:
    """Return (label, value) rows of the judge model; empty without one."""
    return list(_flat(report.judge or {}))


def seconds(value: float) -> str:
    """Return a duration: 0.00012 -> "0.12 ms"; 0.0123 -> "12 ms"; 4.2 -> "4.2 s"; 300 -> "5 min 0 s"."""
    if 0 < value < 0.01:
        return f"{value * 1000:.2g} ms"
    if value < 1:
        return f"{value * 1000:.0f} ms"
    return f"{value:.1f} s" if value < 120 else f"{int(value // 60):,} min {int(value % 60)} s"


def _flat(data: Mapping[str, Any], prefix: str = "", skip: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield one row per figure, groups under the group's name; None is left out."""
    for key, value in data.items():
        name = prefix + str(key).replace("_", " ")
        if key in skip or value is None:
            continue
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name}: ")
        elif str(key).endswith("_s") and is_number(value):
            yield name.removesuffix(" s"), seconds(float(value))
        elif str(key).startswith("answer_words_") and is_number(value):
            yield name, f"{float(value):,.1f}"
        elif isinstance(value, float):
            yield name, f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"
        elif isinstance(value, int) and not isinstance(value, bool):
            yield name, f"{value:,}"
        elif isinstance(value, (list, tuple)):
            yield name, ", ".join(str(one) for one in value[:10])
        else:
            yield name, str(value)


# ------------------ memory figures

COLUMNS = ("", "Value", "Floor", "Ceiling", "95% interval")
LEGEND = (
    "Floor: the last quarter of the dialogue. Ceiling: a perfect store; for what is found and answered, the relevant"
    " turns. Higher is better in every row."
)
MEMORY_ROWS_SHOWN = {
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
    for name, (label, counted) in MEMORY_ROWS_SHOWN.items():
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
