"""What a memory store contains, and what is wrong with it: the result of `assay memory inspect`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

INSPECTION_SCHEMA_VERSION = 2


@dataclass(frozen=True, slots=True)
class Example:
    """An entry with a problem: its id and state, and its text, shortened and without secrets."""

    id: str
    state: str
    text: str


@dataclass(frozen=True, slots=True)
class Problem:
    """One kind of problem: how many entries have it, what that means, and the first examples.

    `count` is None if it could not be measured; `meaning` then says why.
    """

    name: str
    count: int | None
    meaning: str
    is_severe: bool
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class Inspection:
    """Contents and health of a memory.

    `states` counts entries by state, `kinds` and `speakers` live entries; `oldest` and `newest` are days of live
    entries. `num_unread` counts the parts that could not be read, and `unread` has a line for the first of them.
    """

    path: str
    format: str
    title: str
    num_bytes: int
    states: Mapping[str, int]
    kinds: Mapping[str, int]
    speakers: Mapping[str, int]
    oldest: str | None
    newest: str | None
    num_dated: int
    num_characters: int
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    unread: tuple[str, ...]
    num_unread: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with the schema version."""
        return {"schema_version": INSPECTION_SCHEMA_VERSION, **asdict(self)}
