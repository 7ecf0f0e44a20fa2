"""Broken contracts inside a tree: symbols a change removes or alters while files of its head still use them.

A language contributes one `Contract`. It compares the changed files of its kind on both sides, and looks for uses in
the files that import them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from assay.validators.change import ChangedFile, ChangeSet
from assay.validators.graph import Graphs
from assay.validators.progress import Deadline
from assay.validators.report import NotChecked

MOST_FILES = 1500
"""Files of the head that are searched for uses of what one change broke; the rest are reported as not checked."""


class BreakKind(StrEnum):
    """How a use is broken; the value is the part of the rule's name."""

    name = "missing-name"
    module = "missing-module"
    arguments = "call-arguments"
    attribute = "missing-attribute"


@dataclass(frozen=True, slots=True, order=True)
class Use:
    """A line of the head that uses what is gone; `how` completes "but `file:line` …"."""

    path: str
    line: int
    how: str
    is_certain: bool = True


@dataclass(frozen=True, slots=True)
class Break:
    """A symbol of the base that changed incompatibly, with every use left in the head.

    `file` is where the base defined it; `head_file` and `line` are the place in the head nearest to the definition
    (None where the file is gone); `now` is its present signature where the arguments do not match.
    """

    kind: BreakKind
    symbol: str
    file: str
    uses: tuple[Use, ...]
    head_file: str | None = None
    line: int | None = None
    now: str = ""


@dataclass(frozen=True, slots=True)
class Compared:
    """A change with the import graphs of its trees and the time left to look at it."""

    change: ChangeSet
    graphs: Graphs
    deadline: Deadline


class Contract(Protocol):
    """What Assay knows of one language's symbols: what a file offers, and which uses of it are certain."""

    @property
    def name(self) -> str:
        """The register key: the language's name in `LANGUAGES`."""

    @property
    def covers(self) -> frozenset[str]:
        """The rows of the table of languages it reads."""

    def breaks(self, compared: Compared, files: Sequence[ChangedFile]) -> Iterator[Break | NotChecked]:
        """Every break the change introduces in these changed files. Raises `OutOfTime`."""


def head_line(file: ChangedFile | None, start: int, end: int) -> int | None:
    """The line of the head where lines `start` to `end` of the base were taken out or changed."""
    if file is None or not file.exists:
        return None
    for hunk in file.hunks:
        if hunk.base_lines and hunk.base_start <= end and start < hunk.base_start + len(hunk.base_lines):
            return max(1, hunk.head_start)
    return None
