"""Grader for one number: "$2.45 million" for 2450000 USD, "0.48 s" for 480 ms."""

from __future__ import annotations

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
from assay.memory_eval.graders.reading.details import about_the_question
from assay.memory_eval.graders.reading.numbers.number_claims import WantedNumber, number_mentions
from assay.memory_eval.truth import Question


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
    mentions = about_the_question(answer, mentions, question.text, gold)
    if is_a_heap(answer, mentions, question.text):
        return A_HEAP
    statement = statement_of(answer.text, mentions)
    return score_single(question, answer, statement, gold)
