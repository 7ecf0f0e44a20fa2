"""Pairing of the functions of base and head: by name, or by content for renamed and moved ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.validators.languages.functions.function import Function
from assay.validators.quality.inputs.changed_texts import ReadFile
from assay.validators.quality.inputs.line_origins import head_line

SAME_FROM = 0.5
"""Share of common lines from which two functions count as one that was renamed or moved."""

MOST_OF_A_NAME = 50
"""Maximum functions of one name in a file that are compared with each other."""

MOST_COMPARED = 20_000
"""Maximum pairs compared by content; beyond it, a moved function counts as new."""


@dataclass(frozen=True)
class Placed:
    """Function with its file (the head's function in the head's text, the base's in the base's)."""

    read: ReadFile
    function: Function

    def lines(self, of_file: Sequence[str]) -> frozenset[str]:
        """Return the distinct lines of its body, without white space at their ends."""
        body = of_file[self.function.start : self.function.end]
        return frozenset(stripped for line in body if len(stripped := line.strip()) > 3)


def earlier_selves(now: Sequence[Placed], then: Sequence[Placed]) -> Iterator[tuple[Placed, Placed | None]]:
    """Yield each function of the head with its counterpart in the base, or None if it is new.

    An untouched function is paired by its place, others by name; functions without a separate name are paired only if
    their content is similar.
    """
    partners: dict[int, Placed] = {}
    free = _paired_by_place(now, then, partners)
    by_name: dict[tuple[str, str], list[Placed]] = defaultdict(list)
    for each in free:
        by_name[each.read.file.path, each.function.name].append(each)
    wanting: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, each in enumerate(now):
        if number not in partners:
            wanting[each.read.file.path, each.function.name].append(number)
    for name, numbers in wanting.items():
        _pair_alike(now, numbers, by_name[name], partners)
    left = _Left([each for group in by_name.values() for each in group])
    for number, each in enumerate(now):
        yield each, partners.get(number) or left.most_alike(each)


def _paired_by_place(now: Sequence[Placed], then: Sequence[Placed], partners: dict[int, Placed]) -> list[Placed]:
    """Pair functions without changed lines by place; return the remaining functions of the base."""
    at: dict[tuple[str, str, int, int], list[Placed]] = defaultdict(list)
    for each in then:
        file, function = each.read.file, each.function
        if not any(line in file.removed for line in range(function.start, function.end + 1)):
            place = head_line(file, function.start), head_line(file, function.end)
            at[file.path, function.name, *place].append(each)
    taken: set[int] = set()
    for number, each in enumerate(now):
        same = at[each.read.file.path, each.function.name, each.function.start, each.function.end]
        if same and not each.read.file.touches(each.function.start, each.function.end):
            partners[number] = same.pop(0)
            taken.add(id(partners[number]))
    return [each for each in then if id(each) not in taken]


def _pair_alike(now: Sequence[Placed], numbers: list[int], same: list[Placed], partners: dict[int, Placed]) -> None:
    """Pair functions of one name, the most similar first; remove the partners from `same`."""
    if not same:
        return
    is_anonymous = now[numbers[0]].function.is_anonymous
    if len(numbers) == len(same) == 1 and not is_anonymous:
        partners[numbers[0]] = same.pop()
        return
    old_lines = [each.lines(each.read.base_lines) for each in same[:MOST_OF_A_NAME]]
    shares = []
    for number in numbers[:MOST_OF_A_NAME]:
        lines = now[number].lines(now[number].read.head_lines)
        for index, old in enumerate(old_lines):
            shares.append((-len(lines & old) / max(len(lines), len(old), 1), number, index))
    used: set[int] = set()
    for share, number, index in sorted(shares):
        if number not in partners and index not in used and (not is_anonymous or -share >= SAME_FROM):
            partners[number] = same[index]
            used.add(index)
    same[:] = [each for index, each in enumerate(same) if index not in used]


@dataclass
class _Left:
    """Functions of the base whose name no function of the head has."""

    functions: list[Placed]
    num_compared: int = 0

    @cached_property
    def _lines(self) -> list[frozenset[str]]:
        return [each.lines(each.read.base_lines) for each in self.functions]

    def most_alike(self, new: Placed) -> Placed | None:
        """Return the function that `new` was renamed or moved from, or None if none is similar enough."""
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
