"""Lazy shuffling of long lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from assay.seeded_random import Draws

T = TypeVar("T")


def in_drawn_order(items: Sequence[T], draws: Draws) -> Iterator[T]:
    """Yield each item once, in an order drawn during iteration."""
    left = list(items)
    while left:
        place = draws.below(len(left))
        left[place], left[-1] = left[-1], left[place]
        yield left.pop()


def in_turn(lines: Iterable[Iterator[T]]) -> Iterator[T]:
    """Yield from the iterators in rotation until all are empty."""
    waiting = list(lines)
    while waiting:
        going_on = []
        for line in waiting:
            try:
                yield next(line)
            except StopIteration:
                continue
            going_on.append(line)
        waiting = going_on
