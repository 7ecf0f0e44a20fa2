"""Typed values beside the words of an answer: the value decides, and nothing in it or beside it is overlooked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from assay.memory_eval import Answer, AnswerType, Dimension, Question, grade
from tests.tables import read_yaml

ANYTHING = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | some.text(),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(), inner, max_size=3),
    max_leaves=6,
)


def question(kind: str, value: Any, expected: str, unit: str | None = None, **rubric: Any) -> Question:
    answer = Answer(AnswerType(kind), value, unit)
    return Question("q", "c", "What is it?", expected, answer, (), (Dimension.factual_accuracy,), rubric)


TIMEOUT = question("number", 480, "480 ms", "ms")
CHANGES = question("number", 3, "3")
DAY = question("date", "2025-03-04", "4 March 2025")
MOMENT = question("date", "2025-05-14 09:12", "14 May 2025, 09:12")
LEAD = question("entity", "Marcus Webb", "Marcus Webb", others=["Priya Nair"], aliases={"Marcus Webb": ["Webb"]})
OFFICE = question("entity", "Busan", "Busan (easel)", others=["Seoul"], must_say=["easel"])
TEAM = question("set", ["Ada Brandt", "Jun Watanabe"], "Ada Brandt and Jun Watanabe", candidates=["Eva Kim"])
PORTS = question("set", [80, 443], "80 and 443")
ORDER = question("ordered_list", ["INC-1", "INC-2", "INC-3"], "INC-1, INC-2 and INC-3")
CARD = question(
    "pairs",
    [["mentor", "Eva Kim"], ["phone extension", 6117]],
    "mentor: Eva Kim; phone extension: 6117",
    sources={"mentor": [], "phone extension": ["extension"]},
    member_types=[{"type": "entity", "unit": None}, {"type": "number", "unit": None}],
    untold={"allergy": ["allergic to"]},
    poison=["lupin"],
)
IS_SO = question("yes_no", True, "Yes")
UNTOLD = question("abstain", None, "You never told me that.", others=["87"])
CAUSE = question("text", [["a faulty transceiver sat in the uplink"]], "a faulty transceiver sat in the uplink")

ASKED = {
    "timeout": TIMEOUT, "changes": CHANGES, "day": DAY, "moment": MOMENT, "lead": LEAD, "office": OFFICE, "team": TEAM,
    "ports": PORTS, "order": ORDER, "card": CARD, "is_so": IS_SO, "untold": UNTOLD, "cause": CAUSE,
}  # fmt: skip
VALUES = read_yaml(Path(__file__).parents[2] / "cases" / "memory" / "values.yaml")
RIGHT, WRONG = (
    [(ASKED[name], value) for name, row in VALUES.items() for value in row.get(kind, ())] for kind in ("right", "wrong")
)


@pytest.mark.parametrize(("asked", "value"), RIGHT)
def test_a_right_value_is_right_without_and_beside_words(asked: Question, value: Any):
    assert grade(asked, "", value).score == 1.0
    words = f"As I have it: {asked.expected_answer}"
    assert grade(asked, words, value).score == 1.0


@pytest.mark.parametrize(("asked", "value"), WRONG)
def test_a_wrong_value_is_wrong_beside_the_right_words(asked: Question, value: Any):
    assert grade(asked, asked.expected_answer, value).score == 0.0


def test_members_of_a_list_count_as_in_words():
    assert grade(TEAM, "", ["Ada Brandt"]).score == 0.125
    assert grade(TEAM, "", ["Ada Brandt", "Jun Watanabe", "Eva Kim"]).score == 0.125
    assert grade(ORDER, "", ["INC-2", "INC-1", "INC-3"]).score == 0.0
    assert grade(ORDER, "", ["INC-3", "INC-2", "INC-1"]).score == 0.0


@pytest.mark.parametrize(
    "words",
    ["NOT Marcus Webb", "It is Priya Nair.", "Marcus Webb is wrong.", "I don't know."],
)
def test_words_that_contradict_the_value_void_it(words: str):
    assert grade(LEAD, words, "Marcus Webb").score == 0.0


@pytest.mark.parametrize(
    "words",
    ["In turn 12 you named the lead of the project.", "Before that it was Priya Nair, now Marcus Webb.", "Done."],
)
def test_words_that_only_explain_leave_the_value_alone(words: str):
    assert grade(LEAD, words, "Marcus Webb").score == 1.0


def test_a_required_word_may_be_in_the_words_or_in_the_value():
    assert grade(OFFICE, "Busan", ["Busan"]).score == 0.0
    assert grade(OFFICE, "Busan, easel", ["Busan"]).score == 1.0


def test_an_abstention_beside_a_guess_is_none():
    assert grade(UNTOLD, "You never told me.", None).score == 1.0
    assert grade(UNTOLD, "Probably 87.", None).score == 0.0


def test_an_answer_that_is_json_with_both_is_read_as_both():
    for asked, value in (*RIGHT, *WRONG):
        text = json.dumps({"answer": asked.expected_answer, "value": value})
        assert grade(asked, text) == grade(asked, asked.expected_answer, value)


def test_a_long_value_counts_as_a_long_answer():
    assert grade(CAUSE, "", "A broken transceiver in the uplink. " + "word " * 500).score == 0.0


@given(ANYTHING)
def test_any_value_has_a_score(value: Any):
    for asked in (TIMEOUT, MOMENT, LEAD, OFFICE, TEAM, PORTS, ORDER, CARD, IS_SO, UNTOLD):
        score = grade(asked, "", value).score
        assert score is not None
        assert 0.0 <= score <= 1.0
