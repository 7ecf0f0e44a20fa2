"""What a memory holds, read from what it left on disk: entries, and what could not be read of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing remembered. `text` says it whole, so that it is understood alone; `id` tells where it lies.

    `kind` is the store's own word for it ("observation", "relation", "list item"); `about` the entity it belongs to,
    where the store tells; `updated_at` the day it was last changed, where the store or the text's heading tells.
    """

    text: str
    id: str
    kind: str
    about: str | None = None
    updated_at: date | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A memory as it lay there: the format's name, its entries in their order, how many bytes were read.

    `unread` holds one line, with `file:line`, for each piece that was there and could not be read as an entry.
    """

    format: str
    entries: tuple[Entry, ...]
    num_bytes: int
    unread: tuple[str, ...] = ()


class SnapshotReader(Protocol):
    """One format of memory store. Reads only; opens no link, runs nothing, unpickles nothing."""

    name: str
    title: str
    """What a person calls it, as in "an MCP memory"."""

    def detects(self, path: Path) -> bool:
        """Whether what lies at a file or folder looks like this format, by its content. Never raises for content."""

    def read(self, path: Path) -> Snapshot:
        """All that is remembered there. WorldUnreadable, with `file:line`, where that cannot be told."""
