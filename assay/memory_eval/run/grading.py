"""The grading of a run: its mode and judge, and answers in batches, each grade written to disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from assay.llm import AnthropicModel, LanguageModel, ModelUnavailable
from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.graders.grading import Grading, GradingMode
from assay.memory_eval.graders.rules import Grade
from assay.memory_eval.report.model import EvalResult
from assay.memory_eval.run.calls import Progress
from assay.memory_eval.run.run_folder import RunFolder
from assay.memory_eval.truth import Question

# ------------------ grading choice

NO_JUDGE_NAMED = "no judge model was named"


@contextmanager
def grading_by(wanted: Grading | str | None, model: LanguageModel | str | None, num_votes: int) -> Iterator[Grading]:
    """Yield the requested grading; by default hybrid with a model and deterministic without.

    A model created here is closed at the end.

    If the model is not available, hybrid grading falls back to the rules and reports why; judge grading raises
    `JudgeUnavailable`. Raises `ExamUsageError` for an unknown mode.
    """
    if isinstance(wanted, Grading):
        yield wanted
        return
    try:
        mode = GradingMode(wanted or ("deterministic" if model is None else "hybrid"))
    except ValueError:
        known = ", ".join(GradingMode)
        raise ExamUsageError(f"{wanted!r} is not a grading mode; supported: {known}") from None
    if mode is GradingMode.deterministic or model is None:
        yield Grading(mode, None, num_votes, why_no_judge=NO_JUDGE_NAMED)
    elif not isinstance(model, str):
        yield Grading(mode, model, num_votes)
    else:
        yield from _by_the_name_of(model, mode, num_votes)


def _by_the_name_of(name: str, mode: GradingMode, num_votes: int) -> Iterator[Grading]:
    try:
        model = AnthropicModel(name)
    except ModelUnavailable as unavailable:
        yield Grading(mode, None, num_votes, why_no_judge=str(unavailable))
        return
    with model:
        yield Grading(mode, model, num_votes)


# ------------------ grading phase

AT_A_TIME = 50
"""Answers per batch: a judge's grades cost money and should survive a kill."""


def marked(folder: RunFolder, questions: Sequence[Question], grading: Grading, progress: Progress) -> None:
    """Grade every answer without a grade; failed calls already have their score."""
    left = [question for question in questions if is_open(folder, question)]
    num_done = len(questions) - len(left)
    progress("grading", num_done, len(questions))
    for begin in range(0, len(left), AT_A_TIME):
        now = left[begin : begin + AT_A_TIME]
        given = [folder.answered[question.id].result for question in now]
        pairs = [(question, one.answer) for question, one in zip(now, given, strict=True)]
        values = [one.given_value for one in given]
        grades = grading.grade_all(pairs, _counted_on(progress, num_done, len(questions)), values=values)
        for question, grade in zip(now, grades, strict=True):
            folder.was_graded(with_grade(folder.answered[question.id].result, grade))
        num_done += len(now)


def _counted_on(progress: Progress, num_before: int, num_all: int) -> Callable[[int, int], None]:
    return lambda done, _: progress("grading", num_before + done, num_all)


def with_grade(result: EvalResult, grade: Grade) -> EvalResult:
    """Return the result with its grade."""
    return replace(
        result,
        score=grade.score,
        dimensions=grade.dimensions,
        reasoning=grade.reasoning,
        why_not_graded=grade.why_not_graded,
    )


def is_open(folder: RunFolder, question: Question) -> bool:
    """Return whether the question was answered and is not yet graded."""
    answered = folder.answered.get(question.id)
    return answered is not None and answered.result.error is None and answered.result.score is None
