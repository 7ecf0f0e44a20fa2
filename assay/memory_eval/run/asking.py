"""The asking phase of an evaluation: every answer is written to disk before the next question."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from assay.escape import utf8
from assay.memory_eval.adapters.adapter import RemoteAgent
from assay.memory_eval.errors import AgentCallFailed
from assay.memory_eval.questions.value_form import asked_with_value
from assay.memory_eval.report.model import EvalResult
from assay.memory_eval.run.calls import FailureBudget, Pace, run_ordered
from assay.memory_eval.run.run_folder import Answered, RunFolder
from assay.memory_eval.truth import NOT_GIVEN, Question

MOST_KEPT = 20_000
"""Characters of an answer that are graded and kept; a longer one exceeds every length budget."""

NOT_YET = "not graded yet"


def ask(
    agent: RemoteAgent, questions: Sequence[Question], folder: RunFolder, patience: FailureBudget, pace: Pace
) -> None:
    """Ask all questions not yet answered; raises `AgentFailed` if the agent fails permanently."""
    left = [question for question in questions if question.id not in folder.answered]
    pace.progress("asking", len(questions) - len(left), len(questions))
    for answered, error in run_ordered([[question] for question in left], partial(_asked, agent), pace):
        folder.was_answered(answered)
        pace.progress("asking", len(folder.answered), len(questions))
        patience.heard(error)


def _asked(agent: RemoteAgent, question: Question) -> tuple[Answered, AgentCallFailed | None]:
    began_at_s = time.monotonic()
    try:
        response = agent.answer(asked_with_value(question) if agent.carries_value else question.text)
    except AgentCallFailed as failed:
        return Answered(_unanswered(question, failed, time.monotonic() - began_at_s), 0), failed
    result = replace(
        ungraded(question, NOT_YET),
        answer=utf8(response.answer)[:MOST_KEPT],  # as the report has it, so that it can be graded again
        answer_time_s=time.monotonic() - began_at_s,
        confidence=response.confidence,
        tokens_in=response.tokens_in,
        tokens_out=response.tokens_out,
        context_tokens=response.context_tokens,
        sources=response.sources,
        has_value=response.value is not NOT_GIVEN,
        value=None if response.value is NOT_GIVEN else response.value,
    )
    return Answered(result, len(response.answer.split())), None


def not_asked(question: Question, why: str) -> EvalResult:
    """Return the result of a question that was not asked because the run ended: not graded, which is not zero."""
    return ungraded(question, f"not asked: {why}")


def call_failed(result: EvalResult) -> EvalResult:
    """Return the result of a failed call without its score of zero, for runs in which every call failed."""
    none = dict.fromkeys(result.dimensions)
    return replace(result, score=None, dimensions=none, why_not_graded=f"the call failed: {result.error}")


def _unanswered(question: Question, failed: AgentCallFailed, took_s: float) -> EvalResult:
    """Return the result of a failed call: no answer, score 0."""
    return replace(
        ungraded(question, None),
        score=0.0,
        dimensions={str(dimension): 0.0 for dimension in question.dimensions},
        reasoning=f"No answer: {failed}",
        error=str(failed),
        answer_time_s=took_s,
    )


def ungraded(question: Question, why: str | None) -> EvalResult:
    """Return the result of a question before grading; `why` it has no score."""
    return EvalResult(
        question_id=question.id,
        category=question.category,
        score=None,
        dimensions={str(dimension): None for dimension in question.dimensions},
        question=question.text,
        expected=question.expected_answer,
        answer="",
        reasoning="",
        why_not_graded=why,
    )
