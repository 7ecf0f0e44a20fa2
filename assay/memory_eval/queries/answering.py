"""The engine: a query and a record give what the query finds."""

from __future__ import annotations

from assay.memory_eval.queries.found import Found, Query
from assay.memory_eval.queries.of_answers import OF_ANSWERS
from assay.memory_eval.queries.of_many import OF_MANY
from assay.memory_eval.queries.of_one import OF_ONE
from assay.memory_eval.queries.record import Record

OPS = {**OF_ONE, **OF_MANY, **OF_ANSWERS}
"""Every way to answer, by its name in a query."""


def find_answer(query: Query, record: Record) -> Found:
    """What a query finds in a record, and the turns that rest under it; an unknown `op` is a KeyError."""
    return OPS[query["op"]](query, record, find_answer)
