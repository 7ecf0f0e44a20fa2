"""Grading of offline answers, without an agent."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.memory_eval.exam.folder import Exam, GivenAnswer
from assay.memory_eval.graders.grading import Grading, Progress
from assay.memory_eval.graders.rules import Grade
from assay.memory_eval.report.measures import measured, report_of
from assay.memory_eval.report.model import EvalReport, EvalResult
from assay.memory_eval.run.asking import ungraded
from assay.memory_eval.run.grading import with_grade
from assay.memory_eval.truth import NOT_GIVEN, Question

NOTHING = GivenAnswer("")


def grade_answers(
    exam: Exam,
    answers: Mapping[str, GivenAnswer],
    grading: Grading | None = None,
    *,
    agent: str = "",
    progress: Progress = lambda _done, _all: None,
) -> EvalReport:
    """Grade the answer to each question, in order; a missing or empty one scores 0.

    Without `grading`, only rules are used. Raises `JudgeUnavailable` if the judge fails its probes.
    """
    grading = grading or Grading()
    began_s = time.monotonic()
    given = [answers.get(question.id, NOTHING) for question in exam.questions]
    present = [(question, one) for question, one in zip(exam.questions, given, strict=True) if one.is_given]
    pairs = [(question, one.text) for question, one in present]
    grades = grading.grade_all(pairs, progress, values=[one.value for _, one in present])
    by_id = {question.id: grade for (question, _), grade in zip(present, grades, strict=True)}
    results = [
        _result(question, one, by_id.get(question.id)) for question, one in zip(exam.questions, given, strict=True)
    ]
    num_words = {question.id: len(one.text.split()) for question, one in present}
    seed = exam.manifest.get("seed")
    return report_of(
        results,
        measured(results, num_words, [], {}),
        num_turns=len(exam.turns) or _count(exam.manifest.get("num_turns")),
        total_facts_delivered=sum(len(turn.facts) for turn in exam.turns),
        grading_time_s=time.monotonic() - began_s,
        seed=seed if isinstance(seed, int) else None,
        agent=agent,
        grading=str(grading.mode),
        grader_votes=grading.votes,
        world_version=str(exam.manifest.get("version", "")),
        judge=grading.report(),
        notes=(*exam.notes, *_missing(exam.questions, answers)),
    )


def _result(question: Question, given: GivenAnswer, grade: Grade | None) -> EvalResult:
    if grade is None:
        nothing = dict.fromkeys(map(str, question.dimensions), 0.0)
        grade = Grade(0.0, nothing, "No answer was given.")
    return replace(
        with_grade(ungraded(question, None), grade),
        answer=given.text,
        confidence=given.confidence,
        tokens_in=given.tokens_in,
        tokens_out=given.tokens_out,
        has_value=given.value is not NOT_GIVEN,
        value=None if given.value is NOT_GIVEN else given.value,
    )


def _missing(questions: Sequence[Question], answers: Mapping[str, GivenAnswer]) -> list[str]:
    num = sum(question.id not in answers or not answers[question.id].is_given for question in questions)
    return [f"{num} of {len(questions)} questions have no answer; each counts 0"] if num else []


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
