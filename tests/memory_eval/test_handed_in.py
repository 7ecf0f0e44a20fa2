"""Answers made elsewhere are graded in the order of the questions, and what is missing counts nothing."""

from __future__ import annotations

import pytest

from assay.memory_eval import Question, generate_dialogue, generate_questions, grade_answers
from assay.memory_eval.exam.folder import Exam, GivenAnswer
from assay.memory_eval.graders.grading import Grading


@pytest.fixture(scope="module")
def exam() -> Exam:
    truth = generate_dialogue(num_turns=150, seed=11)
    return Exam(truth.turns, generate_questions(truth, num_questions=48), {"seed": 11, "version": "1"})


def gold(questions: list[Question]) -> dict[str, GivenAnswer]:
    return {question.id: GivenAnswer(question.expected_answer) for question in questions}


def test_the_expected_answers_have_full_marks(exam: Exam):
    report = grade_answers(exam, gold(exam.questions))
    assert report.overall_score is not None
    assert report.overall_score >= 0.99
    assert [one.question_id for one in report.results] == [question.id for question in exam.questions]
    assert report.num_turns == 150
    assert report.seed == 11
    assert report.notes == ()


def test_missing_empty_and_blank_answers_are_nothing(exam: Exam):
    answers = gold(exam.questions)
    first, second, third = (question.id for question in exam.questions[:3])
    del answers[first]
    answers[second] = GivenAnswer("")
    answers[third] = GivenAnswer(" \n\t ")
    report = grade_answers(exam, answers)
    assert [one.score for one in report.results[:3]] == [0.0, 0.0, 0.0]
    assert {score for one in report.results[:3] for score in one.dimensions.values()} == {0.0}
    assert report.results[0].reasoning == "No answer was given."
    assert report.notes == ("3 of 48 questions have no answer; each counts 0",)


def test_hybrid_grading_without_a_judge_grades_what_it_can_and_says_what_not(exam: Exam):
    report = grade_answers(exam, gold(exam.questions), Grading("hybrid", None, why_no_judge="there is no key"))
    graded = [one for one in report.results if one.score is not None]
    assert graded
    assert all(one.why_not_graded for one in report.results if one.score is None)
    assert report.judge is not None
    assert report.judge["why"] == "there is no key"


def test_what_was_handed_in_is_measured(exam: Exam):
    answers = {name: GivenAnswer(one.text, confidence=1.0, tokens_in=10) for name, one in gold(exam.questions).items()}
    report = grade_answers(exam, answers)
    assert report.measured["tokens_in"] == 480
    assert report.measured["brier"] == pytest.approx(0.0, abs=0.05)
    assert report.measured["intervals"]["overall"][1] >= 0.99


def test_progress_is_told(exam: Exam):
    told: list[tuple[int, int]] = []
    grade_answers(exam, gold(exam.questions), progress=lambda done, num: told.append((done, num)))
    assert told[-1] == (48, 48)
