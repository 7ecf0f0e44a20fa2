"""Random numbers derived from a key, the same on every Python and every machine.

A stream is SHA-256 in counter mode under HMAC-SHA256(key, name). Without the key, drawn values reveal nothing about
other values or other streams. The state of a Mersenne Twister, in contrast, follows from its output.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, MutableSequence, Sequence
from datetime import date, timedelta
from hashlib import sha256
from itertools import count
from struct import Struct
from typing import TypeVar

T = TypeVar("T")

_WORD_BITS = 64
_WORDS = Struct(">4Q")
"""The four words of a SHA-256 digest."""


class Draws:
    """A stream of random numbers identified by a key and a name; streams of different names are unrelated."""

    def __init__(self, name: str, key: bytes = b"") -> None:
        self._name = name
        self._key = key
        self._word = _words(hmac.digest(key, name.encode(), "sha256")).__next__

    def apart(self, name: str) -> Draws:
        """Return a separate stream, so that further draws from it change nothing here."""
        return Draws(f"{self._name}/{name}", self._key)

    def below(self, limit: int) -> int:
        """Return one of 0 .. limit-1 with equal probability."""
        if limit <= 0:
            raise ValueError("no values to choose from")
        bits = (limit - 1).bit_length()
        if bits > _WORD_BITS:
            return self._below_large(limit, bits)
        shift = _WORD_BITS - bits
        while True:
            drawn = self._word() >> shift
            if drawn < limit:
                return drawn

    def _below_large(self, limit: int, bits: int) -> int:
        """Return one of 0 .. limit-1 for a limit of more bits than a word has."""
        num_words = -(-bits // _WORD_BITS)
        while True:
            drawn = 0
            for _ in range(num_words):
                drawn = drawn << _WORD_BITS | self._word()
            drawn >>= num_words * _WORD_BITS - bits
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


def _words(key: bytes) -> Iterator[int]:
    """Yield the words of a stream: SHA-256 over its 32-byte key and a counter of eight bytes."""
    keyed, unpacked = sha256(key), _WORDS.unpack
    for number in count():
        block = keyed.copy()
        block.update(number.to_bytes(8))
        yield from unpacked(block.digest())
