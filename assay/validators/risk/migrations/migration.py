"""Interface of migration readers, and the operations they return."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Effect(StrEnum):
    """Effect of an operation on existing data, and on code that still runs against the old schema.

    `destructive`: loses data, fails on existing rows, or removes a name. `additive`: neither. `other`: changes speed or
    checks. `unclear`: runs something that cannot be read. `rewritten`: changes a migration that may have been applied.
    `unread`: the migration itself could not be read.
    """

    additive = "additive"
    other = "other"
    unclear = "unclear"
    rewritten = "rewritten"
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


@dataclass(frozen=True, slots=True)
class Migration:
    """Reader of one format of schema changes. Nothing is ever run.

    `name` is the key in the register. `claims` returns whether a file has the format, by its path and content.
    `operations` returns the operations of applying a text; it raises `Unreadable` for a file of another format.
    `is_state`: the file describes the whole schema, so that both sides are compared; else it lists steps.
    """

    name: str
    claims: Callable[[str, str], bool]
    operations: Callable[[str, Surroundings], Iterable[Operation]]
    is_state: bool = False
