"""Embedder without a model: hashed words and character n-grams, the same numbers on every machine."""

from __future__ import annotations

import math
import re
from zlib import crc32

SIZE = 512
"""Numbers of a vector."""

MOST_CHARACTERS = 20_000
"""Characters of a text that are embedded."""

_WORD = re.compile(r"[^\W_]+(?:[.,:/-][^\W_]+)*")
_GRAM = 4
_GRAM_WEIGHT = 0.5


def embedded(text: str) -> list[float]:
    """Return the unit vector of a text; of a text without words, the vector with the first number 1."""
    numbers = [0.0] * SIZE
    for word in _WORD.findall(text[:MOST_CHARACTERS].casefold()):
        _add(numbers, word, 1.0)
        padded = f"<{word}>"
        grams = [padded[begin : begin + _GRAM] for begin in range(len(padded) - _GRAM + 1)]
        for gram in grams:
            _add(numbers, f"#{gram}", _GRAM_WEIGHT / len(grams))
    length = math.sqrt(sum(number * number for number in numbers))
    return [number / length for number in numbers] if length else [1.0, *numbers[1:]]


def _add(numbers: list[float], feature: str, weight: float) -> None:
    # The sign keeps features that share a place from adding up (Weinberger et al., ICML 2009).
    found = crc32(feature.encode("utf-8", "surrogatepass"))
    numbers[found % SIZE] += weight if found >> 31 else -weight
