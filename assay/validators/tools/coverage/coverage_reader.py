"""Interface of a coverage format reader."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

MOST_LINES = 5_000_000
"""Maximum lines of one report, about as many as the largest repositories have."""


@dataclass(frozen=True, slots=True)
class Reported:
    """One file of a report: its path as written, and line number -> whether a test ran it.

    `folders` are the report's candidate folders for its paths. `only_ran`: the report lists the lines that ran and not
    those that could have, so the others have to be found in the source.
    """

    path: str
    lines: dict[int, bool]
    folders: tuple[str, ...] = ()
    only_ran: bool = False


class CoverageReader(Protocol):
    """A reader of one format."""

    @property
    def name(self) -> str:
        """The register key."""

    def recognises(self, head: bytes) -> bool:
        """Return whether a file that begins with these bytes (some kilobytes) has this format."""

    def read(self, data: bytes) -> Iterator[Reported]:
        """Yield the files of a report; raise ValueError for a damaged or hostile one."""


def json_object(data: bytes) -> dict[str, Any]:
    """Parse a report that is a JSON object; empty for another value, ValueError for invalid JSON."""
    try:
        value = json.loads(data)
    except RecursionError:
        raise ValueError("nested too deep") from None
    return value if isinstance(value, dict) else {}


def ran(lines: dict[int, bool], line: int | None, has_run: bool) -> None:
    """Record a line; it has run if any of its parts has."""
    if line is not None and 0 < line < 10_000_000:
        lines[line] = lines.get(line, False) or has_run
