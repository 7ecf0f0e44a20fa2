"""Entries of stores that record ids, times and speakers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from assay.memory_eval.adapters.snapshots.reading import pieces
from assay.memory_eval.adapters.snapshots.snapshot import Entry, State, moment_of

MOST_NAME = 300
"""Longest id, kind, subject or speaker, in characters."""


def stored(
    text: str,
    entry_id: str,
    kind: str,
    *,
    about: Any = None,
    created: Any = None,
    updated: Any = None,
    valid_to: Any = None,
    state: State = "live",
    speaker: Any = None,
    ends_by_itself: bool = False,
) -> Iterator[Entry]:
    """Yield the entry, in several pieces if it is long; times may have any notation, and other types are dropped."""
    begun, changed = moment_of(created), moment_of(updated)
    last = changed or begun
    for piece in pieces(text):
        yield Entry(
            piece,
            entry_id[:MOST_NAME],
            kind[:MOST_NAME],
            _name(about),
            last.date() if last else None,
            begun,
            changed,
            moment_of(valid_to),
            state,
            _name(speaker),
            ends_by_itself,
        )


def state_until(ended: datetime | None) -> State:
    """Return the state of an entry that ends at a moment, if ever: live until then."""
    return "history" if ended is not None and ended <= datetime.now(UTC) else "live"


def _name(value: Any) -> str | None:
    return value.strip()[:MOST_NAME] or None if isinstance(value, str) else None
