"""Typed values beside the words of an answer: the value decides, and nothing in it or beside it is overlooked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from assay.memory_eval import Answer, AnswerType, Dimension, Question, grade

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

RIGHT = [
    (TIMEOUT, 480),
    (TIMEOUT, 480.0),
    (TIMEOUT, "480 ms"),
    (TIMEOUT, {"value": 480, "unit": "ms"}),
    (TIMEOUT, {"amount": 0.48, "unit": "s"}),
    (TIMEOUT, [480]),
    (CHANGES, "three"),
    (DAY, "2025-03-04"),
    (DAY, "4 March 2025"),
    (MOMENT, "2025-05-14T09:12Z"),
    (MOMENT, "2025-05-14 09:12"),
    (MOMENT, "2025-05-14T09:12:00+00:00"),
    (LEAD, "Marcus Webb"),
    (LEAD, "webb"),
    (LEAD, {"lead": "Marcus Webb"}),
    (LEAD, ["Marcus Webb"]),
    (OFFICE, ["Busan", "easel"]),
    (OFFICE, "Busan (easel)"),
    (TEAM, ["Jun Watanabe", "Ada Brandt"]),
    (TEAM, "Ada Brandt and Jun Watanabe"),
    (PORTS, [443, "80"]),
    (ORDER, ["INC-1", "INC-2", "INC-3"]),
    (CARD, {"mentor": "Eva Kim", "extension": 6117}),
    (CARD, {"mentor": "Eva Kim", "phone extension": "6117", "allergy": None}),
    (CARD, [["mentor", "Eva Kim"], ["phone extension", 6117]]),
    (CARD, [{"name": "mentor", "value": "Eva Kim"}, {"name": "phone extension", "value": 6117}]),
    (IS_SO, True),
    (IS_SO, "yes"),
    (UNTOLD, None),
    (CAUSE, "A transceiver in the uplink was faulty."),
]
WRONG = [
    (TIMEOUT, 481),
    (TIMEOUT, "480 s"),
    (TIMEOUT, {"value": 480, "unit": "s"}),
    (TIMEOUT, [480, 250]),
    (TIMEOUT, "480 or 250 ms"),
    (TIMEOUT, True),
    (TIMEOUT, 10**400),
    (TIMEOUT, {"value": 480, "amount": 250, "unit": "ms"}),
    (PORTS, [80, 10**400]),
    (TIMEOUT, None),
    (DAY, "2025-04-03"),
    (DAY, ["2025-03-04", "2025-03-05"]),
    (MOMENT, "2025-05-14T21:12Z"),
    (LEAD, "Priya Nair"),
    (LEAD, ["Marcus Webb", "Priya Nair"]),
    (LEAD, "Marcus Webb, Zoe Unheard"),
    (LEAD, "Marcus Webb or Priya Nair"),
    (LEAD, "not Marcus Webb"),
    (LEAD, "Marcus Webb, previously Priya Nair"),
    (OFFICE, ["Busan", "easel", "Seoul"]),
    (CARD, {"mentor": "Eva Kim", "phone extension": 6117, "allergy": "peanuts"}),
    (CARD, {"mentor": "Eva Kim", "phone extension": 6117, "allergy": "lupin"}),
    (CARD, {"mentor": 6117, "phone extension": "Eva Kim"}),
    (CARD, ["Eva Kim", 6117]),
    (IS_SO, False),
    (UNTOLD, 87),
    (UNTOLD, "perhaps 87"),
]


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
