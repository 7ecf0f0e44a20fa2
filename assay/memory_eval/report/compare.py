"""Comparison of two evaluations, with a test against chance.

Question by question where both were asked the same: only questions that both asked and graded count, so that an easier
exam is not an improvement. Different worlds, as secret exams are, share no question and are compared world against
world (`unpaired`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.report.comparison import (
    NO_DIFFERENCE,
    Comparison,
    Difference,
    FactChange,
    settings_notes,
    verdict_of,
)
from assay.memory_eval.report.measures import mapping
from assay.memory_eval.report.model import EvalReport, EvalResult
from assay.memory_eval.report.read import read_report
from assay.memory_eval.report.unpaired import compare_unpaired
from assay.statistics import LEVEL, exact_test_of_pairs, interval_of_scores, mean, permutation_p

MOST_CHANGED = 10
_HAIR = 1e-9

Pair = tuple[EvalResult, EvalResult]


def compare_reports(before: EvalReport, after: EvalReport, names: tuple[str, str] = ("before", "after")) -> Comparison:
    """Compare two reports: over the questions graded in both, or over different worlds if there are none.

    Raises `ExamUsageError` for a comparable report with another one, and for different worlds if a side has one alone.
    """
    if before.comparable != after.comparable:
        name = names[1] if before.comparable else names[0]
        raise ExamUsageError(
            f"{name} is not comparable with a secret exam: its agent could know the exam",
            code="memory.not-comparable",
        )
    pairs, num_unpaired = _paired(before, after)
    if not pairs:
        return compare_unpaired(before, after, names)
    overall = _difference("overall", pairs)
    categories = sorted({one.category for one, _ in pairs})
    ordered = sorted(pairs, key=_change)
    worse = [pair for pair in ordered if _change(pair) < -_HAIR]
    better = [pair for pair in reversed(ordered) if _change(pair) > _HAIR]
    return Comparison(
        before=names[0],
        after=names[1],
        verdict=verdict_of(overall),
        overall=overall,
        categories=tuple(
            _difference(name, [pair for pair in pairs if pair[0].category == name]) for name in categories
        ),
        worse=tuple(_shown(pair) for pair in worse[:MOST_CHANGED]),
        better=tuple(_shown(pair) for pair in better[:MOST_CHANGED]),
        num_worse=len(worse),
        num_better=len(better),
        num_same=len(pairs) - len(worse) - len(better),
        num_unpaired=num_unpaired,
        notes=tuple(settings_notes(before, after, num_unpaired)),
        facts=_facts(before, after),
    )


def compare_files(before: Path, after: Path) -> Comparison:
    """Compare two report.json by their paths; raises as `read_report` and `compare_reports` do."""
    return compare_reports(read_report(before), read_report(after), (str(before), str(after)))


def _paired(before: EvalReport, after: EvalReport) -> tuple[list[Pair], int]:
    """Return results of the same question with the same text; and the number without a partner.

    An answer that was not graded counts 0 where its partner was: answering unreadably gains nothing.
    """
    known = {(one.question_id, one.question): one for one in before.results}
    found = [(known[key], one) for one in after.results if (key := (one.question_id, one.question)) in known]
    pairs = [(one, two) for one, two in found if one.score is not None or two.score is not None]
    return pairs, len(before.results) + len(after.results) - 2 * len(pairs)


def _difference(name: str, pairs: Sequence[Pair]) -> Difference:
    changes = [_change(pair) for pair in pairs]
    before = mean([one.score or 0.0 for one, _ in pairs]) or 0.0
    after = mean([two.score or 0.0 for _, two in pairs]) or 0.0
    within = interval_of_scores([changes], bounds=(-1.0, 1.0))
    return Difference(name, before, after, after - before, within, permutation_p(changes), len(pairs))


def _facts(before: EvalReport, after: EvalReport) -> FactChange | None:
    one, two = mapping(before.memory), mapping(after.memory)
    held_before, held_after = str(one.get("held", "")), str(two.get("held", ""))
    digests = one.get("facts_digest"), two.get("facts_digest")
    if not held_before or len(held_before) != len(held_after) or digests[0] is None or digests[0] != digests[1]:
        return None
    pairs = [pair for pair in zip(held_before, held_after, strict=True) if pair != (" ", " ")]
    lost, gained = pairs.count(("1", "0")), pairs.count(("0", "1"))
    p_value = exact_test_of_pairs(lost, gained)
    verdict = NO_DIFFERENCE if p_value >= 1 - LEVEL else "better" if gained > lost else "worse"
    counts = held_before.count("1"), held_after.count("1")
    return FactChange(len(pairs), *counts, lost, gained, p_value, verdict)


def _change(pair: Pair) -> float:
    return (pair[1].score or 0.0) - (pair[0].score or 0.0)


def _shown(pair: Pair) -> dict[str, Any]:
    one, two = pair
    return {
        "question_id": one.question_id,
        "category": one.category,
        "question": one.question,
        "before": one.score,
        "after": two.score,
    }
