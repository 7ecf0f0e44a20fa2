"""Evidence is right: who reads those turns and nothing else can answer, and the words are in them."""

from __future__ import annotations

import json

import pytest

from assay.memory_eval import answer_from_evidence
from assay.memory_eval.questions.composing.answers import answer_of
from assay.memory_eval.questions.queries.answering import find_answer
from assay.memory_eval.questions.queries.record import Record
from assay.memory_eval.truth import AnswerType, Question
from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.wording import in_words
from tests.memory_eval.questions.exams import LARGE, MIDDLE, SMALL, SOAK, dialogue_of, questions_of

ALL = [*SMALL, *MIDDLE, *LARGE, *SOAK]
DIRECT = {"value", "first", "as_of", "claim_of"}


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_a_memory_of_the_evidence_alone_answers_every_question(turns: int, num: int, seed: int):
    told = dialogue_of(turns, seed).turns
    for question in questions_of(turns, num, seed):
        assert answer_from_evidence(question, told) == question.expected_answer


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_the_same_query_over_everything_gives_the_gold(turns: int, num: int, seed: int):
    record = Record.of(dialogue_of(turns, seed).turns)
    for question in questions_of(turns, num, seed):
        query = question.rubric["query"]
        assert answer_of(query, find_answer(query, record).value) == question.answer


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_the_evidence_is_turns_of_the_dialogue_in_order(turns: int, num: int, seed: int):
    for question in questions_of(turns, num, seed):
        evidence = list(question.relevant_turns)
        assert evidence == sorted(set(evidence))
        assert all(1 <= number <= turns for number in evidence)
        assert bool(evidence) is (question.answer.type is not AnswerType.abstain)


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_a_direct_answer_is_said_in_its_evidence(turns: int, num: int, seed: int):
    told = dialogue_of(turns, seed).turns
    for question in questions_of(turns, num, seed):
        query = question.rubric["query"]
        if query["op"] in DIRECT and question.answer.type is not AnswerType.abstain:
            value = question.answer.value
            value = value[0][0] if question.answer.type is AnswerType.text else value
            said = in_words(query["attribute"], value)
            texts = [told[number - 1].content for number in question.relevant_turns]
            spoken = (said, str(value), str(value).replace(" ", "T"))
            assert any(one.casefold() in text.casefold() for text in texts for one in spoken), question


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_no_turn_of_the_evidence_is_beside_the_point(turns: int, num: int, seed: int):
    """Without any one of them the answer is another or none; where the most of many is asked, all were looked at.

    An order may stay the same without a change that it rests on.
    """
    told = dialogue_of(turns, seed).turns
    for question in questions_of(turns, num, seed):
        query, evidence = question.rubric["query"], question.relevant_turns
        if json.dumps(query).count("most_common") or query["op"] in ("extreme_source", "values_where", "order"):
            continue
        if "must_query" in question.rubric or question.category == "selective_forgetting":
            continue  # an order is needed though it is no part of the answer
        announced = {turn - 1 for turn in evidence if told[turn - 1].continues}
        for left_out in [turn for turn in evidence if turn not in announced][:5]:
            record = Record.of(told[number - 1] for number in evidence if number != left_out)
            assert answer_of(query, find_answer(query, record).value) != question.answer, question


@pytest.mark.parametrize(("turns", "num", "seed"), ALL)
def test_who_abstains_is_right_only_where_nothing_was_told(turns: int, num: int, seed: int):
    record = Record.of(dialogue_of(turns, seed).turns)
    for question in questions_of(turns, num, seed):
        if question.answer.type is AnswerType.abstain:
            query = question.rubric["query"]
            assert record.told(query["entity"], query["attribute"]) == []
            assert record.entities(query["attribute"]), "nobody was told of it: that gives the question away"


def test_what_was_to_be_forgotten_is_asked_in_one_category_alone():
    record = Record.of(dialogue_of(1_000, 11).turns)
    forgotten = {
        (one.entity, one.value)
        for who in record.entities("forget_request")
        for one in record.told(who, "forget_request")
    }
    assert forgotten
    for question in questions_of(1_000, 200, 11):
        if question.category != "selective_forgetting":
            assert not forgotten & _keys(question.rubric["query"], record)


def test_nothing_is_asked_of_what_belongs_to_no_attribute():
    for question in questions_of(*LARGE[0]):
        assert _attributes(question) <= set(ATTRIBUTES)


def _keys(query: object, record: Record) -> set[tuple[str, str]]:
    """Entity and attribute of every look-up in a query."""
    found: set[tuple[str, str]] = set()
    if isinstance(query, list):
        return found.union(*(_keys(part, record) for part in query))
    if isinstance(query, dict):
        entity = query.get("entity")
        name = find_answer(entity, record).value if isinstance(entity, dict) else entity
        if name is not None and "attribute" in query:
            found.add((str(name), query["attribute"]))
        if query.get("op") == "inverse":
            value = find_answer(query["value"], record).value if isinstance(query["value"], dict) else query["value"]
            found |= {(one.entity, one.attribute) for one in record.holding(query["attribute"], value)}
        if query.get("op") in ("told_of", "order"):
            found |= {(one, query["attribute"]) for one in query["among"]}
        return found.union(*(_keys(part, record) for part in query.values()))
    return found


def _attributes(question: Question) -> set[str]:
    text = json.dumps(question.rubric["query"])
    parts = text.split('"attribute": "')[1:]
    return {part.partition('"')[0] for part in parts}
