"""A careful human would say of each question: one answer is right, it was told, and guessing does not find it."""

from __future__ import annotations

import random
from collections import Counter
from difflib import SequenceMatcher
from typing import Any

import pytest

from assay.memory_eval.questions.composing.answers import OF_ATTRIBUTE
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.queries.answering import find_answer
from assay.memory_eval.truth import AnswerType, Question
from tests.memory_eval.questions.exams import LARGE, MIDDLE, SMALL, SOAK, all_of, dialogue_of, questions_of, told

ALL = [*SMALL[:3], *MIDDLE, *LARGE, *SOAK]


# ------------------------------------------------------------------ who is meant


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_nobody_who_never_came_up_could_be_somebody_elses_misspelt_name(turns: int, num: int, seed: int):
    material = Material(dialogue_of(turns, seed).turns)
    for question in questions_of(turns, num, seed):
        name = question.rubric["query"].get("entity")
        if question.answer.type is AnswerType.abstain and name not in material.kinds:
            for known in material.things("person"):
                parts = list(zip(name.split(), known.split(), strict=False))
                unlike = [SequenceMatcher(None, one, other).ratio() for one, other in parts if one != other]
                assert len(unlike) == 2 or max(unlike) <= 0.45, (name, known)


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_the_highest_claim_is_that_of_one_source_even_among_earlier_claims(turns: int, num: int, seed: int):
    record = Material(dialogue_of(turns, seed).turns).record
    for question in questions_of(turns, num, seed):
        query = question.rubric["query"]
        if query["op"] == "extreme_source":
            claims = [one for one in record.told(query["entity"], query["attribute"]) if one.source is not None]
            furthest = (max if query["most"] else min)(one.value for one in claims)
            assert {one.source for one in claims if one.value == furthest} == {question.answer.value}, question
        if query["op"] == "is_more":
            first, second = (find_answer(part, record).value for part in query["of"])
            assert first != second, question


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_of_whom_something_was_to_be_forgotten_nobody_asks_what_was_told(turns: int, num: int, seed: int):
    material = Material(dialogue_of(turns, seed).turns)
    for question in questions_of(turns, num, seed):
        if question.category == "meta_memory":
            query = question.rubric["query"]
            named = {*query.get("among", ()), query.get("entity")}
            assert not named & material.asked_to_forget, question.text


@pytest.mark.parametrize("attribute", ["allergy", "hobby"])
def test_whether_a_forgotten_fact_was_told_is_not_asked(attribute: str):
    people = [f"{first} Stone" for first in ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal")]
    facts = [(turn, who, "birthday", "1990-01-01", "2025-01-01") for turn, who in enumerate(people, start=1)]
    facts += [(turn, who, attribute, "x", "2025-01-01") for turn, who in enumerate(people[:4], start=1)]
    dialogue = told(*facts, (9, "Ada Stone", "forget_request", attribute, "2025-02-01"))
    asked = all_of("meta_memory", dialogue)
    assert asked
    assert not [question.text for question in asked if "Ada Stone" in question.text]


# ------------------------------------------------------------------ what else could be answered


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_a_source_that_is_not_the_gold_is_another_claim(turns: int, num: int, seed: int):
    material = Material(dialogue_of(turns, seed).turns)
    for question in questions_of(turns, num, seed):
        query, rubric = question.rubric["query"], question.rubric
        if query["op"] in ("source_of", "extreme_source"):
            sources = {one.source for one in material.record.claims(query["entity"], query["attribute"])}
            assert sources - {question.answer.value} <= set(rubric["others"])
            assert not sources & set(rubric.get("context", ()))


@pytest.mark.parametrize(("turns", "num", "seed"), [*MIDDLE, *LARGE])
def test_the_points_of_a_card_have_different_values(turns: int, num: int, seed: int):
    for question in questions_of(turns, num, seed):
        if question.rubric["query"]["op"] == "on_file":
            values = [str(value).casefold() for _, value in question.answer.value]
            assert len(set(values)) == len(values), question


# ------------------------------------------------------------------ guesses


def commonest(values: Counter[Any]) -> Any:
    return values.most_common(1)[0][0]


def any_of(values: Counter[Any]) -> Any:
    return random.Random(len(values)).choice(list(values))


@pytest.mark.parametrize(("guess", "most"), [(commonest, 0.08), (any_of, 0.16)])
@pytest.mark.parametrize("num", [30, 100])
def test_in_a_small_world_the_same_value_each_time_is_seldom_right(guess: Any, most: float, num: int):
    """Over ten worlds of a hundred turns; what an attribute was told to be is all that a guess may know."""
    right = sum(_guessed(question, seed, guess) for seed in range(1, 11) for question in questions_of(100, num, seed))
    assert right <= most * num * 10


def _guessed(question: Question, seed: int, guess: Any) -> bool:
    query = question.rubric["query"]
    if query["op"] not in OF_ATTRIBUTE or question.answer.type is AnswerType.abstain:
        return False
    facts = [fact for turn in dialogue_of(100, seed).turns for fact in turn.facts]
    values = Counter(fact["value"] for fact in facts if fact["attribute"] == query["attribute"])
    return bool(guess(values) == question.answer.value)
