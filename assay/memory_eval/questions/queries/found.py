"""Query types: plain data with an `op`, and the result: a value and the turns it is based on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.memory_eval.questions.queries.record import Record, StatedFact

Query = Mapping[str, Any]
"""`{"op": name, …}`, plain JSON. An `entity` or a `value` in it may itself be a query."""


@dataclass(frozen=True, slots=True)
class QueryResult:
    """A value as plain data, and the numbers of its turns, in order; None if no fact is stated."""

    value: Any
    turns: tuple[int, ...] = ()


NOTHING = QueryResult(None)

Find = Callable[[Query, Record], QueryResult]
"""Evaluates a query inside a query."""

Op = Callable[[Query, Record, Find], QueryResult]
"""One operation."""


def found(value: Any, *rests_on: Iterable[StatedFact] | Iterable[int]) -> QueryResult:
    """Return a value with the turns of its facts, or the given turns."""
    turns = {one.turn if isinstance(one, StatedFact) else one for group in rests_on for one in group}
    return QueryResult(value, tuple(sorted(turns)))


def inner(part: Any, record: Record, find: Find) -> QueryResult:
    """Evaluate a part of a query that is a plain value or a nested query."""
    return find(part, record) if isinstance(part, Mapping) else QueryResult(part)
