"""The words of the questions: productions for everything that can be asked, and none that nobody uses."""

from __future__ import annotations

import re

import pytest

from assay.memory_eval.questions.categories.register import CATEGORIES
from assay.memory_eval.questions.composing.material import ORDERS
from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.world import grammar
from tests.memory_eval.questions.exams import LARGE, questions_of

ASKABLE = [name for name in ATTRIBUTES if name not in ORDERS and not name.startswith("claimed_")]


LINES = grammar("asked", "lines")


@pytest.mark.parametrize("attribute", ASKABLE)
def test_everything_that_is_told_can_be_asked_in_several_ways(attribute: str):
    row = grammar("attributes", attribute)
    assert len(set(row["asks"])) >= 2
    assert len(set(row["noun"])) >= 2


def test_there_are_no_words_for_what_is_never_told():
    told = {name for name in ATTRIBUTES if name not in ORDERS}
    assert set(grammar("attributes")) == told
    assert set(LINES) <= {category.name for category in CATEGORIES}
    assert set(grammar("asked", "kinds")) == {ATTRIBUTES[name].kind for name in told}


def test_no_question_is_left_with_a_gap():
    for question in questions_of(*LARGE[0]):
        assert not re.search(r"[{}]|None|  |\?\?|\.\.", question.text), question.text
        assert question.text[0].isupper() or question.text[0].isdigit() or question.text[0] in "$“", question.text
        assert question.text[-1] in ".?"
