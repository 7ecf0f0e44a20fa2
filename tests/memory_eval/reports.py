"""Reports to test with: small ones of known scores, and one in which everything a stranger may say is hostile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.memory_eval import EvalReport, EvalResult
from assay.memory_eval.report.measures import report_of

HOSTILE = "<script>alert(1)</script> @octocat #12 [x](http://e.example) | `y` \x1b[31m\u202e\x00\ud800 $x$ ]]> &amp;"


def result(name: str, score: float | None, category: str = "needle_in_haystack", **others: Any) -> EvalResult:
    """One result; `others` are fields of it."""
    told: dict[str, Any] = {
        "question": f"What is {name}?",
        "expected": "42",
        "answer": "42" if score else "41",
        "reasoning": "It was compared.",
        "why_not_graded": None if score is not None else "the judge is not there",
    }
    return EvalResult(name, category, score, {"factual_accuracy": score}, **(told | others))


def report(results: Sequence[EvalResult], **others: Any) -> EvalReport:
    """A report of these results; `others` are fields of it."""
    made = report_of(
        tuple(results),
        {},
        num_turns=100,
        total_facts_delivered=321,
        learning_time_s=1.5,
        questioning_time_s=2.5,
        grading_time_s=0.01,
        seed=42,
        agent="http",
        world_version="1",
    )
    return replace(made, **{**others, "measured": {**made.measured, **others.get("measured", {})}})


def scored(scores: Mapping[str, float | None], **others: Any) -> EvalReport:
    """A report of questions by their names and scores."""
    return report([result(name, score) for name, score in scores.items()], **others)


def hostile() -> EvalReport:
    """Every text a stranger decides on is `HOSTILE`; figures an agent gives of itself are no figures."""
    results = [
        result(
            f"q{number}{HOSTILE}", score, HOSTILE, question=HOSTILE, expected=HOSTILE, answer=HOSTILE, reasoning=HOSTILE
        )
        for number, score in enumerate((0.0, 0.5, 1.0, None))
    ]
    deep: dict[str, Any] = {}
    for _ in range(200):
        deep = {HOSTILE: deep}
    return report(
        results,
        agent=HOSTILE,
        valid=False,
        why_invalid=HOSTILE,
        notes=[HOSTILE],
        memory_stats={HOSTILE: HOSTILE, "nan": float("nan"), "huge": 10**400, "deep": deep, "list": [HOSTILE] * 3},
        judge={"model": HOSTILE, "cost_usd": float("inf")},
        reader=HOSTILE,
        memory={
            "kept": {"value": HOSTILE, "n": 2},
            "current": {"value": 0.5, "n": 4, "low": HOSTILE, HOSTILE: HOSTILE},
            "clean": HOSTILE,
            "forgot": [HOSTILE],
            "planted": HOSTILE,
            "examples": [HOSTILE, 3],
            "answers": HOSTILE,
        },
        baselines=[{"name": HOSTILE, "overall_score": "high", "category_scores": {HOSTILE: 0.5, "x": "y"}}],
        measured={"answer_p50_s": 0.25, "intervals": {"overall": [HOSTILE, 2]}, "seeds": {"each": [{"seed": HOSTILE}]}},
    )
