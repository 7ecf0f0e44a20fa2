"""The report of an evaluation: each question's result, the categories and the measures.

Frozen values without grading or random draws. Scores are 0.0 to 1.0; None is "not graded", which is not zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

from pydantic import Field

from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.truth import NOT_GIVEN
from assay.statistics import mean

SCHEMA_VERSION = "3.0"

WEAK_BELOW = 0.7
"""Score below which a category is weak, if its whole interval is below."""


Share = Annotated[float, Field(ge=0, le=1)]
Seconds = Annotated[float, Field(ge=0)]


@dataclass(frozen=True, slots=True)
class EvalResult:
    """One question, the agent's answer, and its score (None if it could not be graded, see `why_not_graded`)."""

    question_id: str
    category: str
    score: Share | None
    dimensions: Mapping[str, Share | None]
    question: str
    expected: str
    answer: str
    reasoning: str
    why_not_graded: str | None = None
    error: str | None = None
    answer_time_s: Seconds | None = None
    confidence: Share | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    context_tokens: int | None = None
    sources: tuple[str, ...] = ()
    has_value: bool = False
    """Whether the answer has a typed `value`, which may be None."""
    value: Any = None

    @property
    def given_value(self) -> Any:
        """The typed value, `NOT_GIVEN` without one."""
        return self.value if self.has_value else NOT_GIVEN


@dataclass(frozen=True, slots=True)
class CategoryBreakdown:
    """One category's scores over its graded questions; None if none was graded."""

    category: str
    avg_score: Share | None
    min_score: Share | None
    max_score: Share | None
    num_questions: int


@dataclass(frozen=True, slots=True)
class EvalReport:
    """A whole evaluation. `valid` is false if it says nothing about the memory; `why_invalid` is the reason."""

    num_turns: int
    num_questions: int
    total_facts_delivered: int
    learning_time_s: Seconds
    questioning_time_s: Seconds
    grading_time_s: Seconds
    overall_score: Share | None
    category_breakdown: Sequence[CategoryBreakdown]
    results: Sequence[EvalResult]
    memory_stats: Mapping[str, Any]
    seed: int | None = None
    agent: str = ""
    grading: str = "deterministic"
    grader_votes: int = 1
    world_version: str = ""
    valid: bool = True
    why_invalid: str | None = None
    measured: Mapping[str, Any] = field(default_factory=dict)
    """Latency p50/p95 in seconds, answer length in words, tokens, store size, Brier score and ECE; see measures.py."""
    judge: Mapping[str, Any] | None = None
    """The judge's model, calls, cost in US dollars, false-accept and false-reject rate on the built-in probes."""
    baselines: Sequence[Mapping[str, Any]] = ()
    """Other agents on the same questions: `{name, overall_score, category_scores: {category: score}}`."""
    notes: Sequence[str] = ()
    reader: str = ""
    """Name and version of Assay's reader that gave the answers; empty if they are the agent's own."""
    system: str = ""
    """Name and version of the memory system, as the agent reports it."""
    embedder: str = ""
    """Name and version of the embedder, as the agent reports it."""
    memory: Mapping[str, Any] | None = None
    """The memory itself: for each of `MEMORY_ROWS` its value, interval, floor, ceiling and number; what to fix first,
    and each fact held or not."""
    comparable: bool = False
    """Whether the seed was drawn at random for this run, so that the agent could not know it."""

    @property
    def is_store_read(self) -> bool:
        """Whether the memory's figures are those of a whole store, not of what a search finds."""
        return (self.memory or {}).get("source") == "entries"

    @property
    def leads_with_kept(self) -> bool:
        """Whether only a store was read: what it kept leads the report, and not the answers of Assay's reader."""
        return self.agent.startswith("snapshot:") and self.kept is not None

    @property
    def kept(self) -> float | None:
        """Share of the distinct facts of the dialogue that one live entry holds; None if it was not measured."""
        return self.memory_row("kept").get("value")

    def memory_row(self, name: str) -> Mapping[str, Any]:
        """Return a row of the memory with the figures that are numbers; empty if it was not measured."""
        row = (self.memory or {}).get(name)
        held: Mapping[str, Any] = row if isinstance(row, Mapping) else {}
        return {
            key: value for key, value in held.items() if isinstance(value, int | float) and not isinstance(value, bool)
        }

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The score if every answer that was not graded counts 0, and if each counts 1; None if none was graded."""
        if self.overall_score is None or not self.results:
            return None
        scores = [one.score for one in self.results]
        return (
            sum(0.0 if score is None else score for score in scores) / len(scores),
            sum(1.0 if score is None else score for score in scores) / len(scores),
        )

    def below(self, least: Mapping[str, float]) -> list[str]:
        """Return a line for each figure that is below its least value, or was not measured.

        Answers are compared by the lower bound of their score, and a row of the memory by its value.
        """
        lines = []
        for name, wanted in least.items():
            found = self.memory_row(name).get("value") if name != ANSWERS else self.bounds and self.bounds[0]
            # Against what people read: 70.00% is not below 0.7, whatever the last bit of the mean.
            if found is None or round(found, 9) < wanted:
                what = "was not measured" if found is None else f"is {found:.1%}"
                lines.append(f"{name} {what}; at least {wanted:.1%} is required")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the content of report.json: plain data with the schema version."""
        return {"schema_version": SCHEMA_VERSION, **asdict(self)}


ANSWERS = "answers"
MEMORY_ROWS = ("kept", "found", "current", "clean", "forgot")
"""Rows of `EvalReport.memory`, each `{value, low, high, floor, ceiling, n}`; a higher value is better."""


def least_figures(text: str) -> dict[str, float]:
    """Parse `0.6` or `answers=.6,kept=.95`: figures with the least each may have.

    Raises:
        ExamUsageError: an unknown figure, or a number that is not from 0 to 1.
    """
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = part.rpartition("=")
        name = name.strip() or ANSWERS
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        if name not in (ANSWERS, *MEMORY_ROWS) or name in found or not 0.0 <= value <= 1.0:
            known = ", ".join((ANSWERS, *MEMORY_ROWS))
            raise ExamUsageError(f"{part.strip()[:80]!r}: expected FIGURE=NUMBER, 0 to 1; figures: {known}")
        found[name] = value
    return found


def breakdown_of(results: Sequence[EvalResult]) -> tuple[CategoryBreakdown, ...]:
    """Return the categories in alphabetical order; `num_questions` counts all, scores cover graded questions."""
    return tuple(_breakdown(name, of_category) for name, of_category in sorted(by_category(results).items()))


def by_category(results: Sequence[EvalResult]) -> dict[str, list[EvalResult]]:
    """Return the results of each category, in order."""
    found: dict[str, list[EvalResult]] = {}
    for result in results:
        found.setdefault(result.category, []).append(result)
    return found


def overall_of(results: Sequence[EvalResult]) -> float | None:
    """Return the mean of graded questions; None if there are none."""
    return mean([result.score for result in results if result.score is not None])


def _breakdown(category: str, results: Sequence[EvalResult]) -> CategoryBreakdown:
    scores = [result.score for result in results if result.score is not None]
    return CategoryBreakdown(
        category=category,
        avg_score=mean(scores),
        min_score=min(scores, default=None),
        max_score=max(scores, default=None),
        num_questions=len(results),
    )
