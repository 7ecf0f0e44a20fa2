"""Which function of the head is which of the base: by name, else, for what was renamed or moved, by what it says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.validators.functions.function import Function
from assay.validators.quality.changed_texts import ReadFile

SAME_FROM = 0.5
"""Share of lines two functions must have in common to be one that was renamed or moved."""

MOST_COMPARED = 20_000
"""Pairs compared by content at most; past that a moved function counts as new."""


@dataclass(frozen=True)
class Placed:
    """A function in the file it stands in (the head's function in the head's text, the base's in the base's)."""

    read: ReadFile
    function: Function

    def lines(self, of_file: Sequence[str]) -> frozenset[str]:
        """The distinct lines of its body among those of its file, without white space at their ends."""
        body = of_file[self.function.start : self.function.end]
        return frozenset(stripped for line in body if len(stripped := line.strip()) > 3)


def earlier_selves(now: Sequence[Placed], then: Sequence[Placed]) -> Iterator[tuple[Placed, Placed | None]]:
    """Each function of the head with itself in the base, None where it is new."""
    by_name: dict[tuple[str, str], list[Placed]] = defaultdict(list)
    for each in then:
        by_name[each.read.file.path, each.function.name].append(each)
    partners: list[Placed | None] = []
    for each in now:
        same = by_name[each.read.file.path, each.function.name]
        partners.append(same.pop(_closest(each, same)) if same else None)
    left = _Left([each for group in by_name.values() for each in group])
    for each, partner in zip(now, partners, strict=True):
        yield each, partner or left.most_alike(each)


def _closest(new: Placed, same: list[Placed]) -> int:
    """Which of several of one name (overloads, callbacks) it is: the one that says the same, else the first."""
    if len(same) == 1:
        return 0
    lines = new.lines(new.read.head_lines)
    shared = [len(lines & each.lines(each.read.base_lines)) for each in same[:50]]
    return shared.index(max(shared))


@dataclass
class _Left:
    """Functions of the base that no function of the head has the name of."""

    functions: list[Placed]
    num_compared: int = 0

    @cached_property
    def _lines(self) -> list[frozenset[str]]:
        return [each.lines(each.read.base_lines) for each in self.functions]

    def most_alike(self, new: Placed) -> Placed | None:
        """The one `new` was renamed or moved from, None where none is alike enough."""
        if not self.functions:
            return None
        lines = new.lines(new.read.head_lines)
        self.num_compared += len(self.functions)
        if not lines or self.num_compared > MOST_COMPARED:
            return None
        best, best_share = None, SAME_FROM
        for old, old_lines in zip(self.functions, self._lines, strict=True):
            share = len(lines & old_lines) / max(len(lines), len(old_lines), 1)
            if share >= best_share:
                best, best_share = old, share
        return best
