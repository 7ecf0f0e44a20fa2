"""Grader for one date, with its time if the question asks for it."""

from __future__ import annotations

from assay.memory_eval.graders.answer_types.comparing.single_value import A_HEAP, is_a_heap, score_single
from assay.memory_eval.graders.gold import values_under
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.claims import statement_of
from assay.memory_eval.graders.reading.dates.date_claims import PARTLY, WantedDate, date_mentions
from assay.memory_eval.graders.reading.details import about_the_question
from assay.memory_eval.truth import Question

PARTLY_SCORE = 0.25
"""For the right day without its year, or without its time."""


def read(question: Question, answer: AnswerText) -> Reading:
    """Read dates: all but the question's are claims; an ambiguous one (03/04/2025) matches either reading."""
    wanted = WantedDate.of(question.answer.value)
    if wanted is None:
        return Reading(0.0, "the question's gold answer is not a date", gradable=False)
    gold = question.expected_answer
    ignored = values_under(question, "operand_dates", "operands", "context", "question_values", "must_say")
    mentions = date_mentions(answer.text, {gold: wanted}, ignored, question.text, values_under(question, "others"))
    mentions = about_the_question(answer, mentions, question.text, gold)
    if is_a_heap(answer, mentions, question.text):
        return A_HEAP
    statement = statement_of(answer.text, mentions)
    return score_single(
        question, answer, statement, gold, lambda value: PARTLY_SCORE if str(value) == gold + PARTLY else 0.0
    )
