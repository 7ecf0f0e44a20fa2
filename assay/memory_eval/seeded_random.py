"""Numbers drawn by a seed, the same on every Python and every machine.

Only `getrandbits` of the generator is used: how `choice`, `shuffle` and `uniform` draw from it has changed between
versions of Python and may again; how many bits it gives has not.
"""

from __future__ import annotations

import random
from collections.abc import MutableSequence, Sequence
from datetime import date, timedelta
from typing import TypeVar

T = TypeVar("T")


class Draws:
    """A stream of draws named by a text: another name is another stream, unrelated to the first."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._bits = random.Random(name).getrandbits  # noqa: S311 - a world is drawn, not a secret

    def apart(self, name: str) -> Draws:
        """A stream of its own, so that drawing more here changes nothing there."""
        return Draws(f"{self._name}/{name}")

    def below(self, limit: int) -> int:
        """One of 0 .. limit-1, each as likely."""
        if limit <= 0:
            raise ValueError("there is nothing to draw from")
        bits = limit.bit_length()
        while True:
            drawn = self._bits(bits)
            if drawn < limit:
                return drawn

    def between(self, first: int, last: int, step: int = 1) -> int:
        """One of first, first + step … up to last (included where a step ends there)."""
        return first + step * self.below((last - first) // step + 1)

    def chance(self, per_cent: int) -> bool:
        """True in so many of a hundred draws."""
        return self.below(100) < per_cent

    def one(self, items: Sequence[T]) -> T:
        """One of them."""
        return items[self.below(len(items))]

    def some(self, items: Sequence[T], num: int) -> list[T]:
        """So many different ones of them, in the order drawn."""
        left = list(items)
        if num > len(left):
            raise ValueError(f"{num} of {len(left)} cannot be drawn")
        for place in range(num):
            other = place + self.below(len(left) - place)
            left[place], left[other] = left[other], left[place]
        return left[:num]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put them into another order, in place."""
        items[:] = self.some(items, len(items))

    def day(self, first: date, last: date) -> date:
        """A day from first to last, both included."""
        return first + timedelta(days=self.below((last - first).days + 1))
