"""A whole generated exam graded: its golds, its paraphrases, and the ways to say a gold without claiming it."""

from __future__ import annotations

import time

import pytest

from assay.memory_eval import Question, generate_questions, grade
from tests.memory_eval.integrity.exams import world_of
from tests.memory_eval.wordings import variants

SEEDS = (42, 123, 456)
STEP = 7
"""Every so manieth form is tried on each question, another one on the next: all are tried on the exam as a whole."""


def _exam(seed: int, num_turns: int, num_questions: int) -> list[Question]:
    return generate_questions(world_of(num_turns, seed), num_questions=num_questions)


def _below(question: Question, answers: list[str], least: float) -> dict[str, float | None]:
    scores = {answer: grade(question, answer).score for answer in answers}
    return {answer: score for answer, score in scores.items() if score is None or score < least}


def test_formatting_of_an_exam_does_not_matter():
    questions = [one for one in _exam(42, 1000, 200) if not one.rubric.get("must_say")]
    failed = [(one.id, _below(one, variants(one)[place % 3 :: 3], 0.95)) for place, one in enumerate(questions)]
    assert [row for row in failed if row[1]] == []


@pytest.mark.parametrize("num_questions", [6, 10, 20, 50])
def test_an_answer_key_as_one_text_earns_nothing(num_questions: int):
    questions = _exam(42, 1000, num_questions)
    for joint in ("; ", ". ", "\n", ", ", " | "):
        key = joint.join(question.expected_answer for question in questions)
        scores = [grade(question, key).score or 0.0 for question in questions]
        assert sum(scores) / len(scores) <= 0.05, (joint, scores)


@pytest.mark.soak
def test_a_thousand_answers_are_graded_within_a_second_of_computing():
    questions = _exam(42, 5000, 1000)
    answers = [f"According to my notes, it's {question.expected_answer}." for question in questions]
    began_s = time.process_time()
    for question, answer in zip(questions, answers, strict=True):
        grade(question, answer)
    assert time.process_time() - began_s < 2.0  # half of it in a quiet minute; see the bench
