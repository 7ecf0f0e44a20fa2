"""Protocol of trace readers: recognize a format by one object of the file and convert all to neutral steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from assay.github_app.traces.step import Trace


@dataclass(frozen=True, slots=True)
class Entry:
    """One object of a file, and the line it begins on."""

    line: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that could not be read, and why, in our words alone."""

    line: int
    why: str


class TraceReader(Protocol):
    """Reads the files of one kind of program."""

    @property
    def name(self) -> str:
        """Of the form: `Trace.source` of what it reads."""

    def fits(self, data: Mapping[str, Any]) -> bool:
        """Whether an object is of this form, and of no other."""

    def read(self, entries: Sequence[Entry]) -> tuple[Sequence[Trace], Sequence[BadLine]]:
        """Return the sessions of a file and its malformed entries. Never raise for unexpected content."""
