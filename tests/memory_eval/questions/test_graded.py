"""Questions and graders belong together: every gold is worth full marks, and the question itself nothing."""

from __future__ import annotations

import pytest

from assay.memory_eval import answer_from_evidence
from assay.memory_eval.graders.rules import grade
from assay.memory_eval.truth import AnswerType, Question
from tests.memory_eval.questions.exams import LARGE, MIDDLE, SMALL, SOAK, dialogue_of, questions_of

ALL = [*SMALL, *MIDDLE, *LARGE, *SOAK]


def score(question: Question, answer: str) -> float:
    """The score, 0 for prose that the rules do not read."""
    return grade(question, answer).score or 0.0


@pytest.mark.parametrize(("turns", "num", "seed"), MIDDLE)
def test_a_memory_of_the_evidence_has_full_marks(turns: int, num: int, seed: int):
    told = dialogue_of(turns, seed).turns
    scores = [score(one, answer_from_evidence(one, told)) for one in questions_of(turns, num, seed)]
    assert min(scores) >= 0.99


@pytest.mark.parametrize(("turns", "num", "seed"), MIDDLE)
def test_the_question_restated_is_no_answer(turns: int, num: int, seed: int):
    questions = questions_of(turns, num, seed)
    assert sum(score(one, one.text) for one in questions) <= 0.01 * num


@pytest.mark.parametrize(("turns", "num", "seed"), MIDDLE)
def test_the_bait_is_worth_nothing(turns: int, num: int, seed: int):
    """A superseded value, a twin's, a planted or a forgotten one said instead of the gold, or beside it."""
    for question in questions_of(turns, num, seed):
        if question.answer.type in (AnswerType.entity, AnswerType.text) and question.rubric.get("others"):
            for bait in question.rubric["others"][:3]:
                assert score(question, f"It is {bait}.") == 0, question
                assert score(question, f"It is {question.expected_answer} or {bait}.") <= 0.5, question


@pytest.mark.parametrize(("turns", "num", "seed"), [*MIDDLE, *LARGE])
def test_what_was_poisoned_or_to_be_forgotten_ruins_an_answer(turns: int, num: int, seed: int):
    for question in questions_of(turns, num, seed):
        for value in question.rubric.get("poison", ()):
            if isinstance(value, str) and question.rubric.get("poison_type", {}).get("type") == "entity":
                label = question.rubric["query"].get("attribute", "the other")
                assert score(question, f"{question.expected_answer}; {label}: {value}") == 0, (question, value)
