"""The texts of a store to be measured, whatever it was read from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.memory_eval.adapters.snapshots.snapshot import Entry, State


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


def stored_of(entries: Iterable[Entry]) -> list[Stored]:
    """Return the entries of a snapshot. One that is live has not ended, whatever its `valid_to`."""
    return [_stored(entry) for entry in entries]


def _stored(entry: Entry) -> Stored:
    day = entry.updated or entry.created or entry.updated_at
    return Stored(entry.text, entry.about, entry.state, day.isoformat() if day is not None else None)
