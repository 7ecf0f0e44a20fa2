"""Verification of a secret exam's report: commitment, exam, grades and sums, all from the report alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from assay.escape import utf8
from assay.memory_eval.adapters.isolation import Isolation
from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.exam.commitment import SALT_BYTES, commitment_of
from assay.memory_eval.exam.held_exam import HeldExam, drawn_exam
from assay.memory_eval.graders.rules import grade
from assay.memory_eval.report.intervals import with_intervals
from assay.memory_eval.report.model import EvalReport, EvalResult, breakdown_of, overall_of
from assay.memory_eval.run.secrecy import NO_ISOLATION, options_of
from assay.memory_eval.truth import Question
from assay.memory_eval.world.world import WORLD_VERSION

_HAIR = 1e-9


def verify_report(report: EvalReport) -> list[str]:
    """Regenerate the exam, grade the recorded answers again, and return what differs, one line each; [] if nothing.

    Raises `ExamUsageError` for a report that cannot be verified: of a public exam, merged, of another version, or
    graded by a judge.
    """
    salt = _salt(report)
    if salt is None:
        return ["salt: not a salt of 16 bytes in hexadecimal"]
    expected = commitment_of(salt, options_of(report))
    if report.commitment != expected:
        return ["commitment: does not fit salt, agent, isolation, turns, questions and grading"]
    exam = drawn_exam(report.num_turns, report.num_questions, 0, salt)
    return [*_wrong_terms(report), *_wrong_results(report, exam), *_wrong_sums(report, exam)]


def _salt(report: EvalReport) -> bytes | None:
    if report.salt is None or report.commitment is None:
        raise ExamUsageError(
            "not the report of a secret exam: it has no salt and no commitment", code="memory.not-verifiable"
        )
    if report.world_version != WORLD_VERSION:
        raise ExamUsageError(
            f"the report is of world version {report.world_version[:20]!r}, and this Assay draws {WORLD_VERSION!r}:"
            " verify it with the version that wrote it",
            code="memory.not-verifiable",
        )
    if report.grading != "deterministic":
        raise ExamUsageError(
            f"{report.grading[:40]} grading cannot be repeated: a judge may grade differently; only deterministic"
            " grading is verified",
            code="memory.not-verifiable",
        )
    try:
        salt = bytes.fromhex(report.salt)
    except ValueError:
        return None
    return salt if len(salt) == SALT_BYTES else None


def _wrong_terms(report: EvalReport) -> Iterator[str]:
    if report.seed is not None:
        yield "seed: a secret exam has none"
    try:
        isolation = Isolation(report.isolation)
    except ValueError:
        yield f"isolation: {report.isolation[:40]!r} is not one"
        return
    why = NO_ISOLATION.get(isolation)
    if (report.comparable, report.why_not_comparable) != (why is None, why):
        yield f"comparable: an exam with isolation {isolation!s} is {'not ' if why else ''}comparable"


def _wrong_results(report: EvalReport, exam: HeldExam) -> Iterator[str]:
    for number, (result, question) in enumerate(zip_longest(report.results, exam.questions), start=1):
        if result is None or question is None:
            yield f"results: {len(report.results)} instead of {len(exam.questions)}"
            return
        name = f"results: question {number}"
        if (result.question_id, result.category, result.question, result.expected) != (
            question.id,
            question.category,
            utf8(question.text),
            utf8(question.expected_answer),
        ):
            yield f"{name} is not that of the exam"
        elif why := _wrong_grade(report, result, question):
            yield f"{name}: {why}"


def _wrong_grade(report: EvalReport, result: EvalResult, question: Question) -> str | None:
    dimensions = {str(dimension) for dimension in question.dimensions}
    if result.error is not None:
        score: float | None = 0.0 if report.valid else result.score and 0.0
        wanted = dict.fromkeys(dimensions, score)
        if result.answer:
            return "a failed call has no answer"
    elif result.score is None and not report.valid and not result.answer:
        return None  # not asked, because the run ended
    else:
        again = grade(question, result.answer, result.given_value)
        score, wanted = again.score, dict(again.dimensions)
    if not _same(result.score, score):
        return f"score {result.score}, graded again {score}"
    if result.dimensions.keys() != wanted.keys() or not all(
        _same(result.dimensions[name], wanted[name]) for name in wanted
    ):
        return "its dimensions differ from those graded again"
    return None


def _wrong_sums(report: EvalReport, exam: HeldExam) -> Iterator[str]:
    if not _same(report.overall_score, overall_of(report.results)):
        yield f"overall_score: {report.overall_score}, and the mean of the results is {overall_of(report.results)}"
    again = {row.category: row for row in breakdown_of(report.results)}
    rows = {row.category: row for row in report.category_breakdown}
    if rows.keys() != again.keys() or len(rows) != len(report.category_breakdown):
        yield "category_breakdown: other categories than those of the results"
    elif any(
        row.num_questions != again[name].num_questions
        or not _same(row.avg_score, again[name].avg_score)
        or not _same(row.min_score, again[name].min_score)
        or not _same(row.max_score, again[name].max_score)
        for name, row in rows.items()
    ):
        yield "category_breakdown: differs from that of the results"
    if report.total_facts_delivered != exam.num_facts:
        yield f"total_facts_delivered: {report.total_facts_delivered}, and the exam has {exam.num_facts}"
    if report.measured.get("intervals") != with_intervals(report).measured["intervals"]:
        yield "measured.intervals: differ from those of the results"
    if report.valid and all(result.error is not None for result in report.results):
        yield "valid: every call failed"


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _HAIR
