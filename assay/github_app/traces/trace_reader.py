"""What a reader of traces is: it knows its form by one object of the file, and makes neutral steps of all of them."""

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
        """The sessions in a file, and the entries that are not what the form says. Never raises for odd content."""
