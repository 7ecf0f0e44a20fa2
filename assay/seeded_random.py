"""Seeded random numbers, the same on every Python and every machine.

Only `getrandbits` of the generator is used: the results of `choice`, `shuffle` and `uniform` have changed between
versions of Python and may change again; `getrandbits` has not.
"""

from __future__ import annotations

import random
from collections.abc import MutableSequence, Sequence
from datetime import date, timedelta
from typing import TypeVar

T = TypeVar("T")


class Draws:
    """A stream of random numbers identified by a name; streams of different names are unrelated."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bits = random.Random(name).getrandbits  # noqa: S311 - a world is drawn, not a secret

    def apart(self, name: str) -> Draws:
        """Return a separate stream, so that further draws from it change nothing here."""
        return Draws(f"{self._name}/{name}")

    def below(self, limit: int) -> int:
        """Return one of 0 .. limit-1 with equal probability."""
        if limit <= 0:
            raise ValueError("no values to choose from")
        bits = limit.bit_length()
        while True:
            drawn = self._bits(bits)
            if drawn < limit:
                return drawn

    def between(self, first: int, last: int, step: int = 1) -> int:
        """Return one of first, first + step … up to last (included if a step ends there)."""
        return first + step * self.below((last - first) // step + 1)

    def chance(self, per_cent: int) -> bool:
        """Return True with a probability of `per_cent`."""
        return self.below(100) < per_cent

    def one(self, items: Sequence[T]) -> T:
        """Return one item."""
        return items[self.below(len(items))]

    def some(self, items: Sequence[T], num: int) -> list[T]:
        """Return `num` different items, in the order drawn."""
        left = list(items)
        if num > len(left):
            raise ValueError(f"{num} of {len(left)} cannot be drawn")
        for place in range(num):
            other = place + self.below(len(left) - place)
            left[place], left[other] = left[other], left[place]
        return left[:num]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffle the items in place."""
        items[:] = self.some(items, len(items))

    def day(self, first: date, last: date) -> date:
        """Return a day from first to last, both included."""
        return first + timedelta(days=self.below((last - first).days + 1))
