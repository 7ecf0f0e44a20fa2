"""Strings and comments of Python source, found in its bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator

_STRING = (
    rb"\#[^\n]*+"
    rb'|"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+(?:"""|(?P<open>\Z))'
    rb"|'''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+(?:'''|(?P<open_too>\Z))"
    rb'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'
    rb"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?"
)
_TRIPLE = re.compile(rb"\"{3}|'{3}")
_ANY_STRING = re.compile(_STRING, re.DOTALL)


def outside_strings(data: bytes, places: list[int]) -> set[int]:
    """Return those of `places` (ascending) outside strings and comments.

    After an unclosed string, every place at the start of a line counts: half of a file is better than none.
    """
    found: set[int] = set()
    left = iter(places)
    place = next(left, None)
    for begin, end, is_open in _strings(data):
        while place is not None and place < begin:
            found.add(place)
            place = next(left, None)
        if place is None:
            return found
        if is_open:
            break
        while place is not None and place < end:
            place = next(left, None)
    while place is not None:
        found.add(place)
        place = next(left, None)
    return found


def plain_lines_outside_strings(data: bytes, places: list[int]) -> set[int]:
    """Return the same for places that are the first words of their lines.

    Only strings over several lines can hide these, so only triple quotes are read, which is much faster.
    """
    found: set[int] = set()
    left = list(reversed(places))
    end = 0
    for quote in _triple_quotes(data, places[-1] if places else 0):
        if quote < end:
            continue
        while left and left[-1] < quote:
            found.add(left.pop())
        match = _string_around(data, end, quote)
        if match is None or match["open"] is not None or match["open_too"] is not None:
            break
        end = match.end()
        while left and left[-1] < end:
            left.pop()
    return found.union(left)


def _triple_quotes(data: bytes, last: int) -> Iterator[int]:
    """Yield the positions of triple quotes up to `last`."""
    if data.find(b'"""', 0, last) >= 0 or data.find(b"'''", 0, last) >= 0:
        yield from (match.start() for match in _TRIPLE.finditer(data, 0, last))


def _string_around(data: bytes, begin: int, quote: int) -> re.Match[bytes] | None:
    """Return the string or comment that contains the triple quote at `quote`; `begin` is outside of all."""
    if data.find(b"\\\n", begin, quote) < 0:
        # No string continues over a line end before this line.
        begin = max(begin, data.rfind(b"\n", begin, quote) + 1)
    return next((match for match in _ANY_STRING.finditer(data, begin) if match.end() > quote), None)


def comment_lines(source: str) -> set[int]:
    """Return the lines (1-based) that hold only a comment."""
    data = source.encode("utf-8", "surrogateescape")
    found: set[int] = set()
    line, counted = 1, 0
    for match in _ANY_STRING.finditer(data):
        if match[0][:1] == b"#":
            begin = match.start()
            line += data.count(b"\n", counted, begin)
            counted = begin
            if not data[data.rfind(b"\n", 0, begin) + 1 : begin].strip():
                found.add(line)
    return found


def _strings(data: bytes) -> Iterator[tuple[int, int, bool]]:
    """Yield (begin, end, is it unclosed) of each string and comment."""
    for match in _ANY_STRING.finditer(data):
        yield match.start(), match.end(), match["open"] is not None or match["open_too"] is not None
