"""What queries are made of: plain data with an `op`, and what one finds: a value and the turns it rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.memory_eval.queries.record import Record, Told

Query = Mapping[str, Any]
"""`{"op": name, …}`, plain JSON. An `entity` or a `value` in it may itself be a query."""


@dataclass(frozen=True, slots=True)
class Found:
    """A value as plain data, and the numbers of the turns it rests on, in order. None: nothing of it was told."""

    value: Any
    turns: tuple[int, ...] = ()


NOTHING = Found(None)

Find = Callable[[Query, Record], Found]
"""How a query inside a query is answered."""

Op = Callable[[Query, Record, Find], Found]
"""One way to answer."""


def found(value: Any, *rests_on: Iterable[Told] | Iterable[int]) -> Found:
    """A value with the turns of the facts, or the turns, it rests on."""
    turns = {one.turn if isinstance(one, Told) else one for group in rests_on for one in group}
    return Found(value, tuple(sorted(turns)))


def inner(part: Any, record: Record, find: Find) -> Found:
    """A part of a query that is a plain value or a query of its own."""
    return find(part, record) if isinstance(part, Mapping) else Found(part)
