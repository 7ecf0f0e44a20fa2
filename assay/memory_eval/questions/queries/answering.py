"""Evaluation of queries against a record, with enough evidence to reproduce each answer."""

from __future__ import annotations

from collections.abc import Iterable

from assay.memory_eval.questions.queries.found import Query, QueryResult, found
from assay.memory_eval.questions.queries.of_answers import OF_ANSWERS
from assay.memory_eval.questions.queries.of_many import OF_MANY
from assay.memory_eval.questions.queries.of_one import OF_ONE
from assay.memory_eval.questions.queries.record import Record

OPS = {**OF_ONE, **OF_MANY, **OF_ANSWERS}
"""Every operation by its name in a query."""

ROUNDS = 4
"""How often evidence is extended before a question is dropped; once is nearly always enough."""


def find_answer(query: Query, record: Record) -> QueryResult:
    """Return the result of a query on a record, and the turns it is based on; an unknown `op` is a KeyError."""
    return OPS[query["op"]](query, record, find_answer)


def find_with_evidence(query: Query, record: Record) -> QueryResult | None:
    """Return the result with enough evidence: those turns alone give the same result. None if that is impossible.

    A turn of the evidence may also state something that changed later. That change is evidence too, since without it
    more entities would seem to meet a condition.
    """
    answer = find_answer(query, record)
    turns = set(answer.turns)
    for _ in range(ROUNDS):
        if find_answer(query, record.only(turns)).value == answer.value:
            return found(answer.value, turns)
        turns |= _overruling(turns, record)
    return None


def _overruling(turns: Iterable[int], record: Record) -> set[int]:
    """Return the turns that restate what these turns state."""
    told = [one for turn in turns for one in record.told_in(turn)]
    return {again.turn for one in told for again in record.told(one.entity, one.attribute)}
