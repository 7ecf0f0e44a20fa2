"""Grader for one number: "$2.45 million" for 2450000 USD, "0.48 s" for 480 ms."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.memory_eval.graders.answer_types.comparing.single_value import (
    A_HEAP,
    is_a_heap,
    score_single,
    without_asides,
)
from assay.memory_eval.graders.gold import values_under
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.claims import statement_of
from assay.memory_eval.graders.reading.dates.calendar_dates import dates
from assay.memory_eval.graders.reading.details import about_the_question
from assay.memory_eval.graders.reading.mentions import Mention
from assay.memory_eval.graders.reading.numbers.number_claims import WantedNumber, number_mentions
from assay.memory_eval.graders.reading.numbers.quantities import quantities
from assay.memory_eval.truth import Question

_OPENS_PARTS = re.compile(r": |[(\u2013—=]")


def read(question: Question, answer: AnswerText) -> Reading:
    """Read numbers: all are claims but the question's, operands, dates and identifiers; one is allowed."""
    wanted = WantedNumber.of(question.answer.value, question.answer.unit, question.rubric.get("tolerance"))
    if wanted is None:
        return Reading(0.0, "the question's gold answer is not a number", gradable=False)
    wanted = replace(wanted, either_sign=bool(question.rubric.get("either_sign")))
    answer = without_asides(question, answer)
    gold = question.expected_answer
    ignored = values_under(question, "operands", "operand_dates", "context", "question_values", "must_say")
    mentions = number_mentions(answer.text, {gold: wanted}, ignored, question.text, values_under(question, "others"))
    mentions = _without_parts(answer.text, about_the_question(answer, mentions, question.text, gold), gold, wanted)
    if is_a_heap(answer, mentions, question.text):
        return A_HEAP
    statement = statement_of(answer.text, mentions)
    return score_single(question, answer, statement, gold)


def _without_parts(text: str, mentions: Sequence[Mention], gold: str, wanted: WantedNumber) -> list[Mention]:
    """Drop the numbers behind the first one if it is the gold and their sum: "4: three on a and one on b"."""
    if len(mentions) < 2 or mentions[0].value != gold or not (opening := _OPENS_PARTS.search(text, mentions[0].end)):
        return list(mentions)
    days = [(0, opening.end()), *((day.start, day.end) for day in dates(text) if day.days)]
    parts = [part for part in quantities(text) if not any(start <= part.start < end for start, end in days)]
    is_sum = len(parts) > 1 and abs(sum(part.readings[0] for part in parts) - wanted.value) <= wanted.slack
    return [one for one in mentions if not is_sum or one.value in (gold, None)]
