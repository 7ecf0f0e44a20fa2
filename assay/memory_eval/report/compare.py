"""Comparison of two evaluations question by question, with a test against chance.

Only questions that both asked and graded count, so that an easier exam is not an improvement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.report.measures import mapping
from assay.memory_eval.report.model import SCHEMA_VERSION, EvalReport, EvalResult
from assay.memory_eval.report.read import read_report
from assay.statistics import LEVEL, Interval, exact_test_of_pairs, interval_of_scores, mean, permutation_p

MOST_CHANGED = 10
_HAIR = 1e-9

Pair = tuple[EvalResult, EvalResult]
NO_DIFFERENCE = "no difference shown"


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure before and after, over the same questions; `change` is after less before."""

    name: str
    before: float
    after: float
    change: float
    interval: Interval | None
    p_value: float | None
    num_pairs: int


@dataclass(frozen=True, slots=True)
class FactChange:
    """Facts that the two stores hold, pair by pair; `p_value` by McNemar's exact test, `verdict` at 0.05."""

    num_facts: int
    num_before: int
    num_after: int
    num_lost: int
    num_gained: int
    p_value: float
    verdict: str

    def in_words(self) -> str:
        """Return the change in one line."""
        kept = f"{self.num_before:,} held before, {self.num_after:,} after, of {self.num_facts:,}"
        changed = f"{self.num_lost:,} lost, {self.num_gained:,} gained, p = {self.p_value:.3g} (McNemar, exact)"
        return f"facts: {self.verdict}; {kept}; {changed}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The change of the score. `verdict` is better, worse or "no difference shown"."""

    before: str
    after: str
    verdict: str
    overall: Difference
    categories: tuple[Difference, ...]
    worse: tuple[dict[str, Any], ...]
    """The questions with the largest loss: `{question_id, category, question, before, after}`."""
    better: tuple[dict[str, Any], ...]
    num_worse: int
    num_better: int
    num_same: int
    num_unpaired: int
    notes: tuple[str, ...] = ()
    facts: FactChange | None = None
    """The change of the facts held; None unless both reports measured the memory of the same world."""

    @property
    def is_worse(self) -> bool:
        """Whether the answers or the facts held got worse, beyond chance."""
        return self.verdict == "worse" or (self.facts is not None and self.facts.verdict == "worse")

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain data."""
        return {"schema_version": SCHEMA_VERSION, "level": LEVEL, **asdict(self)}


def compare_reports(before: EvalReport, after: EvalReport, names: tuple[str, str] = ("before", "after")) -> Comparison:
    """Compare two reports of the same questions; raises `ExamUsageError` if no question was graded in both."""
    if before.comparable != after.comparable:
        name, one = (names[1], after) if before.comparable else (names[0], before)
        raise ExamUsageError(
            f"{name} is not comparable with a secret exam: {one.why_not_comparable or 'its agent may know the exam'}",
            code="memory.not-comparable",
        )
    pairs, num_unpaired = _paired(before, after)
    if not pairs and before.comparable:
        raise ExamUsageError(
            f"{names[0]} and {names[1]} are of different secret exams, which share no question: compare intervals",
            code="memory.not-comparable",
        )
    if not pairs:
        raise ExamUsageError(
            f"{names[0]} and {names[1]} share no graded question: they need the same seed, turns and questions",
            code="memory.not-comparable",
        )
    overall = _difference("overall", pairs)
    categories = sorted({one.category for one, _ in pairs})
    ordered = sorted(pairs, key=_change)
    worse = [pair for pair in ordered if _change(pair) < -_HAIR]
    better = [pair for pair in reversed(ordered) if _change(pair) > _HAIR]
    return Comparison(
        before=names[0],
        after=names[1],
        verdict=_verdict(overall),
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
        notes=tuple(_notes(before, after, num_unpaired)),
        facts=_facts(before, after),
    )


def compare_files(before: Path, after: Path) -> Comparison:
    """Compare two report.json by their paths; raises as `read_report` and `compare_reports` do."""
    return compare_reports(read_report(before), read_report(after), (str(before), str(after)))


def _paired(before: EvalReport, after: EvalReport) -> tuple[list[Pair], int]:
    """Return results of the same question with the same text, both graded; and the number without a partner."""
    known = {(one.question_id, one.question): one for one in before.results if one.score is not None}
    pairs = [
        (known[key], one)
        for one in after.results
        if one.score is not None and (key := (one.question_id, one.question)) in known
    ]
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
    pairs = list(zip(held_before, held_after, strict=True))
    lost, gained = pairs.count(("1", "0")), pairs.count(("0", "1"))
    p_value = exact_test_of_pairs(lost, gained)
    verdict = NO_DIFFERENCE if p_value >= 1 - LEVEL else "better" if gained > lost else "worse"
    counts = held_before.count("1"), held_after.count("1")
    return FactChange(len(pairs), *counts, lost, gained, p_value, verdict)


def _verdict(overall: Difference) -> str:
    """Return a difference if the whole interval is on one side of zero; else "no difference shown"."""
    if overall.interval is None or overall.interval.low <= 0 <= overall.interval.high:
        return NO_DIFFERENCE
    return "better" if overall.change > 0 else "worse"


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


def _notes(before: EvalReport, after: EvalReport, num_unpaired: int) -> list[str]:
    notes = []
    if num_unpaired:
        notes.append(f"{num_unpaired} results have no graded partner and do not count")
    for what in ("world_version", "grading", "grader_votes"):
        one, two = getattr(before, what), getattr(after, what)
        if one != two:
            notes.append(f"{what} differs: {str(one)[:80]} and {str(two)[:80]}")
    notes += [
        f"{name} is not a valid run" for name, one in (("the first", before), ("the second", after)) if not one.valid
    ]
    return notes
