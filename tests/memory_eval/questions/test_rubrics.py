"""A rubric holds what grading needs: what the gold could be mistaken for, and what may be said beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.truth import AnswerType, Dimension, Question
from assay.memory_eval.world.wording import in_words
from tests.memory_eval.questions.exams import LARGE, MIDDLE, SMALL, SOAK, all_of, dialogue_of, questions_of, told

ALL = [*SMALL[:2], *MIDDLE, *LARGE, *SOAK]
KEYS = set(
    "query tense aliases others superseded tolerance must_say must_query poison"
    " sources candidates context member_types"
    " names untold either_sign".split()
)


def golds(question: Question) -> list[Any]:
    value = question.answer.value
    if not isinstance(value, list):
        return [value]
    return [part for member in value for part in (member if isinstance(member, list) else [member])]


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_a_rubric_is_plain_json_of_known_keys(turns: int, num: int, seed: int):
    for question in questions_of(turns, num, seed):
        assert set(question.rubric) <= KEYS
        assert json.loads(json.dumps(question.rubric)) == question.rubric


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_no_gold_counts_as_another_claim(turns: int, num: int, seed: int):
    for question in questions_of(turns, num, seed):
        for key in ("others", "superseded", "poison", "context"):
            assert not set(golds(question)) & set(question.rubric.get(key, ())), (key, question)


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_what_may_be_said_is_no_claim(turns: int, num: int, seed: int):
    for question in questions_of(turns, num, seed):
        others = set(question.rubric.get("others", ()))
        assert not others & set(question.rubric.get("context", ()))
        assert not others & set(question.rubric.get("must_say", ()))
        assert len(others) <= 40


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_earlier_values_are_listed_as_such_and_as_others(turns: int, num: int, seed: int):
    for question in questions_of(turns, num, seed):
        assert set(question.rubric.get("superseded", ())) <= set(question.rubric.get("others", ()))
        if question.category == "knowledge_update":
            assert question.rubric["superseded"], question


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_members_are_typed_one_by_one(turns: int, num: int, seed: int):
    for question in questions_of(turns, num, seed):
        if question.answer.type in (AnswerType.set, AnswerType.ordered_list, AnswerType.pairs):
            types = question.rubric["member_types"]
            assert len(types) == len(question.answer.value)
            assert all(set(one) == {"type", "unit"} for one in types)
        if question.answer.type is AnswerType.pairs:
            assert list(question.rubric["sources"]) == [source for source, _ in question.answer.value]


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_every_question_is_scored_on_facts_and_one_thing_more(turns: int, num: int, seed: int):
    for question in questions_of(turns, num, seed):
        assert question.dimensions[0] is Dimension.factual_accuracy
        assert len(set(question.dimensions)) == 2


@pytest.mark.parametrize(("turns", "num", "seed"), [*MIDDLE, *LARGE])
def test_each_trap_has_its_bait_in_the_rubric(turns: int, num: int, seed: int):
    material = Material(dialogue_of(turns, seed).turns)
    for question in questions_of(turns, num, seed):
        query, rubric = question.rubric["query"], question.rubric
        if question.category == "adversarial_distractor":
            values = [
                one.value
                for twin in material.twins[query["entity"]]
                for one in material.record.told(twin, query["attribute"])
            ]
            assert set(values) - {question.answer.value} <= set(rubric["others"])
            assert set(values) - {question.answer.value}
        if question.category in ("selective_forgetting", "poisoning_resistance"):
            assert rubric["poison"]
        if question.category == "premise_rejection":
            assert in_words(query["attribute"], rubric["others"][0]).split()[0] in question.text
        if question.category == "instruction_following":
            assert all(word in question.expected_answer for word in rubric["must_say"])
            assert rubric["must_say"]


def test_people_are_known_by_the_part_of_their_name_that_nobody_shares():
    told_of = told(
        (1, "Ada Stone", "allergy", "kiwi", "2025-01-01"),
        (2, "Bo Stone", "allergy", "soy", "2025-01-01"),
        (3, "Project Owl", "lead", "Ada Stone", "2025-01-01"),
    )
    material = Material(told_of.turns)
    assert material.other_names("Ada Stone") == ["Ada"]
    assert material.other_names("Project Owl") == ["Owl"]
    assert material.other_names("kiwi") == []


def test_an_order_to_tell_more_is_in_the_answer_and_not_in_the_question():
    told_of = told(
        (1, "Ada Stone", "extension", 4410, "2025-01-01"),
        (2, "Ada Stone", "birthday", "1990-05-06", "2025-01-01"),
        (3, "Ada Stone", "standing_also", "extension>birthday", "2025-01-02"),
    )
    question = all_of("instruction_following", told_of)[0]
    assert question.expected_answer == "4410 (6 May 1990)"
    assert question.relevant_turns == (1, 2, 3)
    assert "birth" not in question.text


def test_a_code_word_belongs_to_every_answer_about_its_entity():
    told_of = told(
        (1, "Ada Stone", "extension", 4410, "2025-01-01"),
        (2, "Ada Stone", "standing_codeword", "quartz", "2025-01-02"),
    )
    (question,) = all_of("instruction_following", told_of)
    assert question.expected_answer == "4410 (quartz)"
    assert question.rubric["must_say"] == ["quartz"]
    assert question.relevant_turns == (1, 2)
