"""A memory store as read from disk: entries, and what could not be read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory entry. `text` is complete and understood alone; `id` is its location.

    `kind` is the store's term ("observation", "relation", "list item"); `about` the entity it belongs to, if recorded;
    `updated_at` the day of the last change, from the store or the text's heading.
    """

    text: str
    id: str
    kind: str
    about: str | None = None
    updated_at: date | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A memory as on disk: the format's name, its entries in order, how many bytes were read.

    `unread` has one line, with `file:line`, for each part that could not be read as an entry.
    """

    format: str
    entries: tuple[Entry, ...]
    num_bytes: int
    unread: tuple[str, ...] = ()


class SnapshotReader(Protocol):
    """Reader of one memory format. Read-only; opens no link, runs nothing, unpickles nothing."""

    name: str
    title: str
    """Name for people, as in "an MCP memory"."""

    def detects(self, path: Path) -> bool:
        """Return whether a file or folder has this format, by its content; never raises for content."""

    def read(self, path: Path) -> Snapshot:
        """Read all entries; raises WorldUnreadable, with `file:line`, if that is impossible."""
