"""What a change of a database schema does, and what reads one form of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Effect(StrEnum):
    """What an operation means for the data there is, and for code that still runs against the old schema.

    `destructive`: loses data, fails on existing rows, or takes a name away. `additive`: neither. `other`: changes speed
    or checks. `unclear`: runs something that cannot be read. `unread`: the migration itself could not be read.
    """

    additive = "additive"
    other = "other"
    unclear = "unclear"
    unread = "unread"
    destructive = "destructive"


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing a migration does, in a reader's words; `line` is 1-based in the text it was read from."""

    effect: Effect
    text: str
    line: int | None = None


def _none() -> Iterator[str]:
    return iter(())


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a migration is read beside: the same file in the base (for those that describe a state), and a function for
    the texts of the migrations before it in its folder, newest first.
    """

    before: str | None = None
    earlier: Callable[[], Iterator[str]] = _none


class Migration(Protocol):
    """Reads one form of schema change. Nothing is ever run."""

    @property
    def name(self) -> str:
        """The register key."""

    @property
    def is_state(self) -> bool:
        """Whether the file describes the schema as it is, so that both sides are compared; else it lists steps."""

    def claims(self, path: str, text: str) -> bool:
        """Whether this file, by its place and content, is of this form."""

    def operations(self, text: str, surroundings: Surroundings) -> Iterable[Operation]:
        """What happens when it is applied. Raises `Unreadable` for what is not of the form after all."""
