"""Grader for one name or thing out of many: a person, an allergy, a city, an address."""

from __future__ import annotations

import re

from assay.memory_eval.graders.answer_types.comparing.single_value import (
    A_HEAP,
    is_a_heap,
    score_single,
    without_asides,
)
from assay.memory_eval.graders.answer_types.comparing.strangers import joins_a_stranger
from assay.memory_eval.graders.gold import aliases_of, said_of, values_under, wrong_values
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.claims import statement_of
from assay.memory_eval.graders.reading.details import about_the_question
from assay.memory_eval.graders.reading.mentions import KnownValues
from assay.memory_eval.truth import Question

_VERSION = re.compile(r"v?(\d+(?:\.\d+)+[\w.+-]*)$", re.IGNORECASE)


def read(question: Question, answer: AnswerText) -> Reading:
    """Read names: of the gold and the rubric's other values, only the gold may be claimed."""
    answer = without_asides(question, answer)
    gold = said_of(question.answer.value)
    # The question's own values are not claims; a false premise in it is one, since only `others` lists it.
    others = [value for value in wrong_values(question, "question_values", "must_say") if value != gold]
    known = KnownValues([gold, *others], _aliases(question, gold), values_under(question, "context"))
    mentions = known.find(answer.text, answer.cased)
    mentions = about_the_question(answer, mentions, question.text, gold)
    if is_a_heap(answer, mentions, question.text):
        return A_HEAP
    if joins_a_stranger(answer, [one for one in mentions if one.value is not None], question.text):
        return Reading(0.0, "it also names another value")
    statement = statement_of(answer.text, mentions)
    return score_single(question, answer, statement, gold)


def _aliases(question: Question, gold: str) -> dict[str, list[str]]:
    aliases = aliases_of(question)
    version = _VERSION.match(gold)
    if version:
        aliases[gold] = [*aliases.get(gold, []), version[1], f"v{version[1]}"]
    return aliases
