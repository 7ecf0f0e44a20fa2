"""Long lists in drawn order, at the price of what is taken from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from assay.memory_eval.seeded_random import Draws

T = TypeVar("T")


def in_drawn_order(items: Sequence[T], draws: Draws) -> Iterator[T]:
    """Each of the items once, in an order drawn while they are taken."""
    left = list(items)
    while left:
        place = draws.below(len(left))
        left[place], left[-1] = left[-1], left[place]
        yield left.pop()


def in_turn(lines: Iterable[Iterator[T]]) -> Iterator[T]:
    """One from each line, again and again, until all of them are empty."""
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
