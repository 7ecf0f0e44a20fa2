"""An oracle that answers from a question's evidence alone, to verify that the evidence is enough."""

from __future__ import annotations

from collections.abc import Sequence

from assay.memory_eval.questions.composing.answers import answer_of, member_forms, worded
from assay.memory_eval.questions.composing.composing import words_to_say
from assay.memory_eval.questions.queries.answering import find_answer
from assay.memory_eval.questions.queries.record import Record
from assay.memory_eval.truth import Question, Turn


def answer_from_evidence(question: Question, turns: Sequence[Turn]) -> str:
    """Answer in words from the facts of the question's `relevant_turns`; `turns` is the whole dialogue."""
    record = Record.of(turns[number - 1] for number in question.relevant_turns)
    query = question.rubric["query"]
    value = find_answer(query, record).value
    words = words_to_say(question.rubric.get("must_query", ()), record)
    return worded(answer_of(query, value), member_forms(query, value), words)
