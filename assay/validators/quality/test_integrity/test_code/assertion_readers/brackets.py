"""Calls and their arguments, found by brackets in code whose comments and strings are blanked."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from assay.validators.quality.test_integrity.test_code.assertion_readers.assertions import Assertion, Claim

BRACKETS = re.compile(r"[()\[\]{}]")
_SPLITS = re.compile(r"[()\[\]{},]")
LONGEST_ARGUMENT = 2000
"""Maximum characters compared; a longer argument is data."""


class Pairs:
    """Closing position of each opening bracket of a text, found in one pass."""

    def __init__(self, code: str) -> None:
        self._closing: dict[int, int] = {}
        self._length = len(code)
        open_at: list[int] = []
        for match in BRACKETS.finditer(code):
            if match.group() in "([{":
                open_at.append(match.start())
            elif open_at:
                self._closing[open_at.pop()] = match.end()
        self._opens = sorted(self._closing)

    def end_of(self, opening: int) -> int:
        """Return the offset after the matching bracket of `opening`; without one, the next opening or the end."""
        if opening in self._closing:
            return self._closing[opening]
        after = bisect_left(self._opens, opening + 1)
        return self._opens[after] if after < len(self._opens) else self._length


@dataclass(frozen=True)
class Passage:
    """Part of a file: `code` has comments and strings blanked, `text` is as written; both have the same offsets."""

    code: str
    text: str
    first_line: int

    @cached_property
    def pairs(self) -> Pairs:
        return Pairs(self.code)

    def line_at(self, offset: int) -> int:
        """Return the file's line number at an offset."""
        return self.first_line + self.code.count("\n", 0, offset)

    def part(self, start: int, end: int) -> Passage:
        """Return the part between two offsets."""
        return Passage(self.code[start:end], self.text[start:end], self.line_at(start))

    def arguments(self, opening: int) -> list[Passage]:
        """Return the arguments of the call whose bracket opens at `opening`, without surrounding white space."""
        end = self.pairs.end_of(opening) - 1
        found: list[Passage] = []
        depth, start = 0, opening + 1
        for match in _SPLITS.finditer(self.code, opening + 1, max(opening + 1, end)):
            mark = match.group()
            if mark == "," and depth == 0:
                found.append(self.stripped(start, match.start()))
                start = match.end()
            elif mark != ",":
                depth += 1 if mark in "([{" else -1
        last = self.stripped(start, max(start, end))
        is_comment = not last.code.strip() and last.text.startswith(("//", "/*"))
        return [*found, last] if last.text and not is_comment else found

    def split(self, operator: str) -> list[Passage]:
        """Return the parts between an operator outside all brackets."""
        depth, start, found = 0, 0, []
        for match in re.finditer(rf"[()\[\]{{}}]|{re.escape(operator)}", self.code):
            mark = match.group()
            if mark == operator:
                if depth == 0:
                    found.append(self.stripped(start, match.start()))
                    start = match.end()
            else:
                depth += 1 if mark in "([{" else -1
        return [*found, self.stripped(start, len(self.code))]

    def stripped(self, start: int, end: int) -> Passage:
        """Return the part between two offsets without surrounding white space, up to the maximum compared."""
        end = min(end, start + LONGEST_ARGUMENT)
        text = self.text[start:end]
        left = len(text) - len(text.lstrip())
        right = len(text.rstrip())
        return self.part(start + left, start + max(left, right))

    def asserted(self, claims: Iterable[Claim], start: int, end: int) -> Iterator[Assertion]:
        """Yield the assertions between two offsets."""
        line, text = self.line_at(start), self.text[start:end]
        for claim in claims:
            yield Assertion(claim.subject, claim.strength, claim.expected, line, text, claim.subject, claim.tolerance)


@dataclass(frozen=True, slots=True)
class Call:
    """Call: the last groups of the name's match, its arguments, and its start and end offsets."""

    match: re.Match[str]
    arguments: list[Passage]
    end: int


def calls(passage: Passage, pattern: re.Pattern[str]) -> Iterator[Call]:
    """Yield every call whose name matches `pattern`, which must end with the opening bracket."""
    for match in pattern.finditer(passage.code):
        opening = match.end() - 1
        yield Call(match, passage.arguments(opening), passage.pairs.end_of(opening))
