"""Payload of a memory evaluation uploaded by a workflow: scores and their change.

    {"version": 1, "name": "assay-memory-report", "agent": "mine", …, "overall_score": 0.71,
     "categories": {"needle_in_haystack": 0.8}, "baselines": {"bm25": 0.6},
     "regression": "true", "change": {"before": 0.82, "after": 0.71, "num_pairs": 240, …}}

A production memory is posted in the same form: its score is the share of entries kept, `num_questions` counts the
entries, and `grading` is `changes`.

Questions and answers are not sent. The payload is untrusted, as code of the agent may have written it: it is bounded,
typed, and refused if it contradicts itself.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, ValidationError, model_validator

from assay.github.external_results.payload import StrictModel, first_of, read_payload
from assay.memory_eval import Comparison, Drift, EvalReport
from assay.validators import ReportUnreadable, as_visible

MOST_BODY_BYTES = 128 * 1024
MOST_CATEGORIES = 200
MOST_BASELINES = 20
MOST_WORDS = 300
MOST_NAME = 120

CHANGES = "changes"
"""`grading` of a production memory, which is compared with its earlier state."""

Regression = Literal["true", "false", "unknown"]
Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Line = Annotated[str, StringConstraints(max_length=MOST_WORDS)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=MOST_NAME)]
Count = Annotated[int, Field(ge=0, lt=2**31)]
RunId = Annotated[int, Field(gt=0, lt=2**53)]


class MemoryScores(StrictModel):
    """Stored part of a report. Scores are 0..1; None means not graded.

    `fact_recall` is that of a store that was read as a whole; `comparable`: the exam was secret and the agent was
    isolated.
    """

    agent: Name
    grading: Name
    seed: Name | None = None
    num_turns: Count
    num_questions: Count
    overall_score: Score | None
    fact_recall: Score | None = None
    comparable: bool | None = None
    categories: Annotated[dict[Name, Score | None], Field(max_length=MOST_CATEGORIES)]
    baselines: Annotated[dict[Name, Score | None], Field(max_length=MOST_BASELINES)]
    why_invalid: Line | None = None


class MemoryChange(StrictModel):
    """Scores before and after on the same `num_pairs` questions or facts; 0 if they were of different worlds.

    `measure` says which scores: of the answers, or the share of facts held or of entries kept. `low` and `high` are the
    95 % interval of the change. `baseline_run` is the workflow run of the baseline report, if there is one.
    """

    before: Score
    after: Score
    num_pairs: Count
    low: Annotated[float, Field(ge=-1, le=1)] | None = None
    high: Annotated[float, Field(ge=-1, le=1)] | None = None
    p_value: Score | None = None
    baseline_run: RunId | None = None
    measure: Literal["answers", "facts", "entries"] = "answers"


class PostedMemory(MemoryScores):
    """Merged evaluation of a workflow run; `name` is the artifact's, of which a run may have several."""

    version: Literal[1] = 1
    name: Name
    regression: Regression
    change: MemoryChange | None = None

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if not self.name.isprintable():
            raise ValueError("name: not a line of text")
        is_lower = self.change is not None and self.change.after < self.change.before
        # A production memory can also have a secret or a deleted entry back.
        if self.regression == "true" and not is_lower and self.grading != CHANGES:
            raise ValueError("regression: `true` needs a change to a lower score")
        if self.regression == "false" and self.change is None:
            raise ValueError("regression: `false` needs a change")
        return self


def scores_of(report: EvalReport) -> MemoryScores:
    """Return the stored part of a report, with bounded texts and at most `MOST_CATEGORIES` categories.

    Raises:
        ReportUnreadable: a figure is out of range.
    """
    categories = sorted(report.category_breakdown, key=lambda one: one.category)[:MOST_CATEGORIES]
    baselines = list(report.baselines)[:MOST_BASELINES]
    why_invalid = None if report.valid else (report.why_invalid or "the run is invalid")
    try:
        return MemoryScores(
            agent=_name(report.agent),
            grading=_name(report.grading),
            seed=None if report.seed is None else str(report.seed),
            num_turns=report.num_turns,
            num_questions=report.num_questions,
            overall_score=report.overall_score,
            fact_recall=report.kept if report.is_store_read else None,
            comparable=report.comparable,
            categories={_name(one.category): one.avg_score for one in categories},
            baselines={_name(str(one.get("name", ""))): _score(one.get("overall_score")) for one in baselines},
            why_invalid=None if why_invalid is None else as_visible(why_invalid, MOST_WORDS),
        )
    except ValidationError as error:
        raise ReportUnreadable("the evaluation report", first_of(error, PostedMemory)) from None


def body_of_memory(
    report: EvalReport, name: str, regression: Regression, comparison: Comparison | None, baseline_run: int | None
) -> bytes:
    """Serialize a merged report and its comparison for the upload."""
    posted = PostedMemory(
        **scores_of(report).model_dump(),
        name=name,
        regression=regression,
        change=_change(comparison, baseline_run),
    )
    return posted.model_dump_json().encode()


def body_of_changes(drift: Drift, name: str, regression: Regression, baseline_run: int | None) -> bytes:
    """Serialize the figures of a production memory for the upload.

    Raises:
        ReportUnreadable: a figure is out of range.
    """
    share, counts = drift.share_kept, drift.entries
    num = counts.num_before if counts is not None else 0
    change = None
    if share is not None:
        change = MemoryChange(before=1, after=share, num_pairs=num, baseline_run=baseline_run, measure="entries")
    elif drift.has_findings:
        change = MemoryChange(before=1.0, after=1.0, num_pairs=0, baseline_run=baseline_run)
    try:
        posted = PostedMemory(
            name=name,
            agent=_name(f"production memory ({drift.record.format})"),
            grading=CHANGES,
            num_turns=0,
            num_questions=num or drift.record.states.get("live", 0),
            overall_score=share,
            categories={"entries kept": share},
            baselines={},
            regression=regression,
            change=change,
        )
    except ValidationError as error:
        raise ReportUnreadable("the evaluation report", first_of(error, PostedMemory)) from None
    return posted.model_dump_json().encode()


def read_posted_memory(body: bytes) -> PostedMemory:
    """Parse an upload.

    Raises:
        ReportUnreadable: the payload is invalid; the message quotes nothing from it.
    """
    return read_payload(PostedMemory, body, MOST_BODY_BYTES, "the uploaded evaluation")


def _change(comparison: Comparison | None, baseline_run: int | None) -> MemoryChange | None:
    """Return the change of the answers; that of the facts held if those alone got worse."""
    if comparison is None:
        return None
    facts, moved = comparison.facts, comparison.overall
    is_of_facts = comparison.is_worse and comparison.verdict != "worse"
    if is_of_facts and facts is not None:
        return MemoryChange(
            before=facts.num_before / facts.num_facts,
            after=facts.num_after / facts.num_facts,
            num_pairs=facts.num_facts,
            p_value=facts.p_value,
            baseline_run=baseline_run,
            measure="facts",
        )
    if is_of_facts and comparison.recall is not None:
        moved = comparison.recall
    return MemoryChange(
        before=min(1.0, moved.before),
        after=min(1.0, moved.after),
        num_pairs=moved.num_pairs,
        low=moved.interval.low if moved.interval else None,
        high=moved.interval.high if moved.interval else None,
        p_value=moved.p_value,
        baseline_run=baseline_run,
        measure="facts" if is_of_facts else "answers",
    )


def _name(text: str) -> str:
    return as_visible(text, MOST_NAME) or "unnamed"


def _score(value: Any) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= 1 else None
