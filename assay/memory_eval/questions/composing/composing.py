"""Completion of questions: gold and evidence by the query engine, expected answer, rubric."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from assay.memory_eval.questions.composing.answers import answer_of, member_forms, worded
from assay.memory_eval.questions.composing.asking import Ask
from assay.memory_eval.questions.composing.material import Material
from assay.memory_eval.questions.composing.question import Category
from assay.memory_eval.questions.composing.rubrics import rubric_of
from assay.memory_eval.questions.queries.answering import find_answer, find_with_evidence
from assay.memory_eval.questions.queries.found import Query, QueryResult
from assay.memory_eval.questions.queries.record import Record
from assay.memory_eval.truth import Answer, AnswerType, Question
from assay.seeded_random import Draws

LISTED = {"told_of", "told_about", "order"}
"""Queries whose question names all candidates."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with its answer, before the search for values it could be confused with."""

    ask: Ask
    found: QueryResult
    answer: Answer
    expected: str
    turns: tuple[int, ...]


def answered(material: Material, ask: Ask) -> Answered | None:
    """Return the gold and the evidence; None without an answer, or if the question's own text reveals it."""
    found = find_with_evidence(ask.query, material.record)
    if found is None or (found.value is None) is not ask.abstains:
        return None
    ask, must_turns = _with_words_to_say(material, ask)
    answer = answer_of(ask.query, found.value)
    forms = member_forms(ask.query, found.value)
    if gives_away(ask, answer, worded(answer, forms)):
        return None
    turns = tuple(sorted({*found.turns, *must_turns, *ask.also_turns}))
    if (whole := material.whole(turns)) != turns:
        # The turns that were added may state what others of the evidence do not overrule.
        turns = whole
        if find_answer(ask.query, material.record.only(turns)).value != found.value:
            return None
    return Answered(ask, found, answer, worded(answer, forms, ask.rubric.get("must_say", ())), turns)


def composed(material: Material, category: Category, whole: Answered, draws: Draws) -> Question:
    """Return the question with its rubric, without an id."""
    return Question(
        id="",
        category=category.name,
        text=whole.ask.text,
        expected_answer=whole.expected,
        answer=whole.answer,
        relevant_turns=whole.turns,
        dimensions=category.dimensions,
        rubric=rubric_of(material, whole.ask, whole.answer, whole.found, draws),
    )


def words_to_say(queries: Iterable[Query], record: Record) -> list[str]:
    """Return what the answer must contain besides the gold, in words."""
    found = [(query, find_answer(query, record).value) for query in queries]
    return [worded(answer_of(query, value), member_forms(query, value)) for query, value in found]


def _with_words_to_say(material: Material, ask: Ask) -> tuple[Ask, tuple[int, ...]]:
    if not ask.must:
        return ask, ()
    words = {"must_say": words_to_say(ask.must, material.record), "must_query": [dict(query) for query in ask.must]}
    turns = tuple(turn for query in ask.must for turn in find_answer(query, material.record).turns)
    return replace(ask, rubric={**ask.rubric, **words}), turns


def gives_away(ask: Ask, answer: Answer, gold: str) -> bool:
    """Return whether a question contains its own answer."""
    text = ask.text.casefold()
    if answer.type in (AnswerType.yes_no, AnswerType.abstain):
        return False
    if answer.type is AnswerType.set and ask.query["op"] not in LISTED:
        return any(str(member).casefold() in text for member in answer.value)
    said: list[Any] = [gold, *ask.rubric.get("must_say", ())]
    if answer.type in (AnswerType.date, AnswerType.entity):
        said.append(answer.value)
    return any(str(one).casefold() in text for one in said)
