"""A memory store as read from disk: entries, their days in any notation, and what could not be read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal, Protocol

# ------------------ dates

_ISO = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_MOST_NUMBER = 10**15
_MOST_MOMENT = 10**18
_FIRST, _LAST = datetime(2000, 1, 1, tzinfo=UTC).timestamp(), datetime(2100, 1, 1, tzinfo=UTC).timestamp()


def day_of(value: Any) -> date | None:
    """Return the first ISO day in a text, or the day of a Unix time in seconds or milliseconds; else None."""
    if isinstance(value, str):
        found = _ISO.search(value[:200])
        return _day(*map(int, found.groups())) if found else None
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST_NUMBER:
        for seconds in (value, value / 1000):
            if _FIRST <= seconds < _LAST:
                return datetime.fromtimestamp(seconds, UTC).date()
    return None


def moment_of(value: Any) -> datetime | None:
    """Return a moment, an ISO text or a Unix time in seconds, milliseconds or microseconds as one in UTC; else None.

    A text without a zone is UTC, as the stores write it; a day alone is its midnight.
    """
    if isinstance(value, datetime):
        return _in_utc(value)
    if isinstance(value, str):
        try:
            found = datetime.fromisoformat(value.strip()[:40].removesuffix(" UTC"))
        except ValueError:
            day = day_of(value)
            return None if day is None else datetime(day.year, day.month, day.day, tzinfo=UTC)
        return _in_utc(found)
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST_MOMENT:
        for seconds in (value, value / 1e3, value / 1e6):
            if _FIRST <= seconds < _LAST:
                return datetime.fromtimestamp(seconds, UTC)
    return None


def _in_utc(found: datetime) -> datetime | None:
    try:
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except OverflowError:  # year 1 or 9999, shifted out of the calendar
        return None


def first_day_of(values: Iterable[Any]) -> date | None:
    """Return the day of the first value that has one."""
    return next((day for value in values if (day := day_of(value))), None)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


# ------------------ snapshot

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
    read as entries, and `unread` has one line with `file:line` for the first of them; `version` is the system's or the
    schema's, and `notes` what limits the reading as a whole.
    """

    format: str
    entries: tuple[Entry, ...]
    num_bytes: int
    unread: tuple[str, ...] = ()
    version: str | None = None
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


class SnapshotReader(Protocol):
    """Reader of one memory format. Read-only; opens no link, runs nothing, unpickles nothing."""

    @property
    def name(self) -> str:
        """Name of the format."""

    @property
    def title(self) -> str:
        """Name for people, as in "an MCP memory"."""

    def detects(self, path: Path) -> bool:
        """Return whether a file or folder has this format, by its content; never raises for content."""

    def read(self, path: Path) -> Snapshot:
        """Read all entries; raises WorldUnreadable, with `file:line`, if that is impossible."""
