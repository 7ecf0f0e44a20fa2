"""Fact about the supply chain, and the interface of its readers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.validators.changes.change import ChangedFile, ChangeSet


@dataclass(frozen=True, slots=True)
class Fact:
    """Effect of the change: the kind of its statement, its text, and its line in the head."""

    kind: str
    text: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Sides:
    """Changed file with its text before and after; empty if absent."""

    change: ChangeSet
    file: ChangedFile
    before: str
    after: str

    def line_of(self, *words: str) -> int | None:
        """Return the first added line with all these words."""
        return next((n for n, text in self.file.added.items() if all(word in text for word in words)), None)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reader of facts from one kind of file, as text; nothing of it is run.

    `claims` returns whether a file of this name may hold such facts. `facts` yields those of the change, and may raise
    `Unreadable`.
    """

    name: str
    claims: Callable[[str], bool]
    facts: Callable[[Sides], Iterator[Fact]]


def new_lines(sides: Sides, pattern: re.Pattern[str]) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield added lines that match a pattern and are new except for white space."""
    old = {"".join(line.split()) for line in sides.before.split("\n")}
    for number, text in sides.file.added.items():
        match = pattern.search(text[:2000])
        if match is not None and "".join(text.split()) not in old:
            yield number, match
