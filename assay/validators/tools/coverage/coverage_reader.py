"""What reads one format of coverage report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

MOST_LINES = 5_000_000
"""Lines of one report; the largest repositories have about as many."""


@dataclass(frozen=True, slots=True)
class Reported:
    """One file as a report tells of it: its path as written, and line number -> whether a test ran it.

    `folders` are those the report says its paths may lie in. `only_ran`: the report knows which lines ran and not which
    could have, so the others have to be found in the source.
    """

    path: str
    lines: dict[int, bool]
    folders: tuple[str, ...] = ()
    only_ran: bool = False


class CoverageReader(Protocol):
    """One format."""

    @property
    def name(self) -> str:
        """The register key."""

    def recognises(self, head: bytes) -> bool:
        """Whether a file that begins with these bytes (some kilobytes) is of this format."""

    def read(self, data: bytes) -> Iterator[Reported]:
        """The files of a report. Raises ValueError for a damaged or hostile one."""


def ran(lines: dict[int, bool], line: int | None, has_run: bool) -> None:
    """Note a line; one that ran in any of its parts has run."""
    if line is not None and 0 < line < 10_000_000:
        lines[line] = lines.get(line, False) or has_run
