"""Keyed hashes of entries, values and words, so that a record of a memory contains no text of it.

A value or a whole text has a hash of 48 bits. A word has a mark of 12 bits: about one in 4,096 words shares it, so that
marks compare entries and do not spell them out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

KEY_VARIABLE = "ASSAY_MEMORY_KEY"
"""Environment variable with the secret key of the hashes."""
MARK_CHARS = 3
_HASH_BYTES = 6
_MOST_REMEMBERED = 200_000


class Key:
    """The key of one series of records; records are comparable only if they have the same key."""

    def __init__(self, secret: str, *, is_secret: bool) -> None:
        self.is_secret = is_secret
        self.salt = "" if is_secret else secret
        self._key = hashlib.sha256(b"assay memory drift\0" + secret.encode("utf-8", "surrogatepass")).digest()
        self._marks: dict[str, str] = {}

    @property
    def check(self) -> str:
        """A hash by which records of another key are recognized."""
        return self.hashed("check", "")

    def hashed(self, what: str, text: str) -> str:
        """Return 12 hexadecimal digits; the same text has another hash as another `what`."""
        data = f"{what}\0{text}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, digest_size=_HASH_BYTES, key=self._key).hexdigest()

    def marks(self, words: Iterable[str]) -> str:
        """Return the marks of distinct words, sorted and without separators."""
        return "".join(sorted({self._mark(word) for word in words}))

    def _mark(self, word: str) -> str:
        known = self._marks.get(word)
        if known is None:
            if len(self._marks) >= _MOST_REMEMBERED:
                self._marks.clear()
            known = self._marks[word] = self.hashed("word", word)[:MARK_CHARS]
        return known


def split_marks(marks: str) -> frozenset[str]:
    """Return the single marks of a text of marks."""
    return frozenset(marks[place : place + MARK_CHARS] for place in range(0, len(marks), MARK_CHARS))
