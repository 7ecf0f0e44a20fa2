"""The typed value a question asks for, which does not show whether there is an answer."""

from __future__ import annotations

from typing import Any

import pytest

from assay.memory_eval.questions.value_form import asked_with_value, value_form
from assay.memory_eval.truth import Answer, AnswerType, Question
from tests.memory_eval.questions.exams import LARGE, questions_of

FORMS = {
    AnswerType.entity: {"a text"},
    AnswerType.text: {"a text"},
    AnswerType.set: {"a list"},
    AnswerType.ordered_list: {"a list in order"},
    AnswerType.pairs: {"an object of names and values"},
    AnswerType.yes_no: {"true or false"},
    AnswerType.date: {"a date as YYYY-MM-DD", "a date as YYYY-MM-DD HH:MM"},
}


def test_every_question_says_the_form_of_its_value():
    for question in questions_of(*LARGE[0]):
        form = value_form(question)
        assert asked_with_value(question).startswith(f"{question.text}\n\nReply with `answer`")
        if question.answer.type is AnswerType.number:
            assert form == f"a number in {question.answer.unit}" if question.answer.unit else form == "a number"
        elif question.answer.type is not AnswerType.abstain:
            assert form in FORMS[question.answer.type]


def test_a_question_without_an_answer_asks_like_one_with_an_answer():
    forms = {value_form(one) for one in questions_of(*LARGE[0]) if one.answer.type is AnswerType.abstain}
    assert forms <= {"a text", "a date as YYYY-MM-DD"} | {form for form in forms if form.startswith("a number")}


@pytest.mark.parametrize("rubric", [{}, {"query": None}, {"query": "none"}, {"query": {}}, {"query": {"op": []}}])
def test_a_question_of_another_world_does_not_show_that_it_has_no_answer(rubric: dict[str, Any]):
    absent, told = (
        Question("q", "own", "Who?", "x", answer, (), (), rubric)
        for answer in (Answer(AnswerType.abstain, None), Answer(AnswerType.text, [["x"]]))
    )
    assert asked_with_value(absent) == asked_with_value(told)
