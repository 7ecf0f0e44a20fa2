"""A memory store as read from disk: entries, their times in any notation, and what could not be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, Literal

MOST_CHARACTERS = 20_000
"""Longest entry, in characters; longer ones are split."""
MOST_NAME = 300
"""Longest id, kind, subject or speaker, in characters."""

State = Literal["live", "history"]
"""`live`: the store returns it. `history`: replaced, deleted or expired, and kept on record."""

STATES: tuple[State, ...] = ("live", "history")


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory entry. `text` is complete and understood alone; `id` is the store's id, or its location.

    `kind` is the store's term ("observation", "relation", "list item"); `about` the entity it belongs to, if recorded;
    `updated_at` the day of the last change, from the store or the text's heading. `created`, `updated` and `valid_to`
    are the store's times, in UTC; `valid_to` is when the entry was replaced, deleted or invalidated. With
    `ends_by_itself` it is when what the entry says ceases to hold: the entry is history from then on.
    """

    text: str
    id: str
    kind: str
    about: str | None = None
    updated_at: date | None = None
    created: datetime | None = None
    updated: datetime | None = None
    valid_to: datetime | None = None
    state: State = "live"
    speaker: str | None = None
    ends_by_itself: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A memory as on disk: the format's name, its entries in order, how many bytes were read.

    `entries` has every state; `live` is what the store would return. `num_unread` counts the parts that could not be
    read as entries, and `unread` has one line with `file:line` for the first of them; `notes` say what limits the
    reading as a whole.
    """

    format: str
    entries: tuple[Entry, ...]
    num_bytes: int
    unread: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    num_unread: int = 0

    @property
    def live(self) -> tuple[Entry, ...]:
        """Entries that the store would return."""
        return tuple(entry for entry in self.entries if entry.state == "live")

    def at(self, moment: datetime) -> Snapshot:
        """Return the snapshot with the states of another moment than that of the reading."""
        return replace(self, entries=tuple(_at(entry, moment) for entry in self.entries))


def _at(entry: Entry, moment: datetime) -> Entry:
    if entry.valid_to is None or not entry.ends_by_itself:
        return entry
    return replace(entry, state="history" if entry.valid_to <= moment else "live")


def entries_of(
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
    """Yield an entry, in several pieces if it is long; times may have any notation, and other types are dropped."""
    begun, changed = moment_of(created), moment_of(updated)
    last = changed or begun
    day = last.date() if last else None
    named = entry_id[:MOST_NAME], kind[:MOST_NAME], _name(about), day
    for piece in pieces(text):
        yield Entry(piece, *named, begun, changed, moment_of(valid_to), state, _name(speaker), ends_by_itself)


def state_until(ended: datetime | None) -> State:
    """Return the state of an entry that ends at a moment, if ever: live until then."""
    return "history" if ended is not None and ended <= datetime.now(UTC) else "live"


def pieces(text: str) -> list[str]:
    """Split a text into pieces of limited length, between words if possible."""
    found, start = [], 0
    while len(text) - start > MOST_CHARACTERS:  # by places: cutting the rest off each time takes quadratic time
        cut = text.rfind(" ", start + MOST_CHARACTERS // 2, start + MOST_CHARACTERS)
        cut = start + MOST_CHARACTERS if cut < 0 else cut
        found.append(text[start:cut].strip())
        start = cut
    return [piece for piece in (*found, text[start:].strip()) if piece]


def _name(value: Any) -> str | None:
    return value.strip()[:MOST_NAME] or None if isinstance(value, str) else None


# ------------------ times

_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_FIRST, _LAST = datetime(2000, 1, 1, tzinfo=UTC).timestamp(), datetime(2100, 1, 1, tzinfo=UTC).timestamp()


def day_of(value: Any) -> date | None:
    """Return the day of a time in any notation, or the first ISO day of a text; else None."""
    moment = moment_of(value)
    return moment.date() if moment else None


def moment_of(value: Any) -> datetime | None:
    """Return a moment, an ISO text or a Unix time in seconds, milliseconds or microseconds as one in UTC; else None.

    A text without a zone is UTC, as the stores write it; a day alone is its midnight.
    """
    if isinstance(value, str):
        return _moment_in(value.strip()[:200])
    if isinstance(value, int | float) and not isinstance(value, bool) and _FIRST <= value < _LAST * 1e6:
        in_seconds = (one for one in (value, value / 1e3, value / 1e6) if _FIRST <= one < _LAST)
        return next((datetime.fromtimestamp(one, UTC) for one in in_seconds), None)
    return value.astimezone(UTC) if isinstance(value, datetime) else None


def _moment_in(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text.removesuffix(" UTC"))
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except OverflowError:  # year 1 or 9999, shifted out of the calendar
        return None
    except ValueError:
        day = _ISO.search(text)
    try:
        return datetime(*map(int, day.groups()), tzinfo=UTC) if day else None  # type: ignore[arg-type,misc]
    except ValueError:
        return None
