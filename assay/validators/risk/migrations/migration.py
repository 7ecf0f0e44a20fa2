"""Interface of migration readers, and the operations they return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Effect(StrEnum):
    """Effect of an operation on existing data, and on code that still runs against the old schema.

    `destructive`: loses data, fails on existing rows, or removes a name. `additive`: neither. `other`: changes speed or
    checks. `unclear`: runs something that cannot be read. `unread`: the migration itself could not be read.
    """

    additive = "additive"
    other = "other"
    unclear = "unclear"
    unread = "unread"
    destructive = "destructive"


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a migration, in words; `line` is 1-based in its text."""

    effect: Effect
    text: str
    line: int | None = None


def _none() -> Iterator[str]:
    return iter(())


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Context of a migration.

    It has the same file in the base (for formats that describe a state), and a function for the texts of earlier
    migrations in its folder, newest first.
    """

    before: str | None = None
    earlier: Callable[[], Iterator[str]] = _none


class Migration(Protocol):
    """Reader of one format of schema changes. Nothing is ever run."""

    @property
    def name(self) -> str:
        """Key in the register."""

    @property
    def is_state(self) -> bool:
        """Whether the file describes the whole schema, so that both sides are compared; else it lists steps."""

    def claims(self, path: str, text: str) -> bool:
        """Return whether this file has the format, by its path and content."""

    def operations(self, text: str, surroundings: Surroundings) -> Iterable[Operation]:
        """Return the operations of applying it. Raises `Unreadable` for a file of another format."""
