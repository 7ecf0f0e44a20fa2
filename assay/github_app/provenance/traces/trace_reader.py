"""Protocol of trace readers: recognize a format by one object of the file and convert all to neutral steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from assay.github_app.provenance.traces.step import Trace


@dataclass(frozen=True, slots=True)
class Entry:
    """One object of a file, and the line it begins on."""

    line: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that could not be read, and the reason, without quoting it."""

    line: int
    why: str


class TraceReader(Protocol):
    """Reader of one program's files."""

    @property
    def name(self) -> str:
        """Name of the format: `Trace.source` of its traces."""

    def fits(self, data: Mapping[str, Any]) -> bool:
        """Return whether an object has this format, and no other."""

    def read(self, entries: Sequence[Entry]) -> tuple[Sequence[Trace], Sequence[BadLine]]:
        """Return the sessions of a file and its malformed entries. Never raise for unexpected content."""
