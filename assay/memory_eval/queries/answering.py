"""The engine: a query and a record give what the query finds, and evidence that is enough to find it again."""

from __future__ import annotations

from collections.abc import Iterable

from assay.memory_eval.queries.found import Found, Query, found
from assay.memory_eval.queries.of_answers import OF_ANSWERS
from assay.memory_eval.queries.of_many import OF_MANY
from assay.memory_eval.queries.of_one import OF_ONE
from assay.memory_eval.queries.record import Record

OPS = {**OF_ONE, **OF_MANY, **OF_ANSWERS}
"""Every way to answer, by its name in a query."""

ROUNDS = 4
"""How often evidence is added to before a question is given up; once is enough nearly always."""


def find_answer(query: Query, record: Record) -> Found:
    """What a query finds in a record, and the turns that it rests on; an unknown `op` is a KeyError."""
    return OPS[query["op"]](query, record, find_answer)


def find_with_evidence(query: Query, record: Record) -> Found | None:
    """The same with enough evidence: who hears those turns alone finds the same. None where that cannot be.

    A turn of the evidence may tell something else besides that was changed later: then the change is evidence too,
    for without it more would seem to meet a condition than does.
    """
    answer = find_answer(query, record)
    turns = set(answer.turns)
    for _ in range(ROUNDS):
        if find_answer(query, record.only(turns)).value == answer.value:
            return found(answer.value, turns)
        turns |= _overruling(turns, record)
    return None


def _overruling(turns: Iterable[int], record: Record) -> set[int]:
    """The turns that tell anew what these turns tell."""
    told = [one for turn in turns for one in record.told_in(turn)]
    return {again.turn for one in told for again in record.told(one.entity, one.attribute)}
