"""The texts of a store to be measured, whatever it was read from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["live", "history", "residue"]
STATES: tuple[State, ...] = ("live", "history", "residue")


@dataclass(frozen=True, slots=True)
class Stored:
    """One text of a store.

    `about` is the subject the store records for it, `day` (ISO, comparable as text) when it was last changed. An entry
    that `is_ended` is live, but the store says that its value holds no longer.
    """

    text: str
    about: str | None = None
    state: State = "live"
    day: str | None = None
    is_ended: bool = False


def stored_of(entries: Iterable[Any]) -> list[Stored]:
    """Return the entries of a snapshot."""
    return [_stored(entry) for entry in entries]


def _stored(entry: Any) -> Stored:
    # Readers of stores without a history set none of these three.
    state: State = getattr(entry, "state", "live")
    ends = getattr(entry, "valid_to", None)
    day = getattr(entry, "updated", None) or getattr(entry, "created", None) or getattr(entry, "updated_at", None)
    return Stored(entry.text, entry.about, state, day.isoformat() if day is not None else None, ends is not None)
