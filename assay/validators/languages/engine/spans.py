"""Which of many nested spans is the innermost around a byte, in steps that do not grow with their number."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")
MOST_NESTED = 1_000
"""Maximum spans around one byte that are followed outwards."""


class Spans(Generic[T]):
    """Spans of bytes (start, end, what), each inside another or apart from it."""

    def __init__(self, spans: Iterable[tuple[int, int, T]]) -> None:
        self._spans = sorted(spans, key=lambda one: (one[0], -one[1]))
        self._starts = [start for start, _, _ in self._spans]
        self._outer: list[int] = []
        open_: list[int] = []
        for index, (start, end, _) in enumerate(self._spans):
            while open_ and not start < end <= self._spans[open_[-1]][1]:
                open_.pop()
            self._outer.append(open_[-1] if open_ else -1)
            open_.append(index)

    def around(self, start: int, end: int | None = None) -> T | None:
        """Return the innermost span around a byte, or around another span and larger than it."""
        return next(self.each_around(start, end), None)

    def each_around(self, start: int, end: int | None = None) -> Iterator[T]:
        """Yield the spans around a byte or another span, from the innermost outwards."""
        index = bisect_right(self._starts, start) - 1
        for _ in range(MOST_NESTED):
            if index < 0:
                return
            begin, last, found = self._spans[index]
            if start < last and (end is None or (end <= last and (begin, last) != (start, end))):
                yield found
            index = self._outer[index]
