"""Gate: whether a comment states advice that holds for later changes too, from its words alone.

The log odds are a sum over the words, word pairs and triples of gate.json that the comment contains. The weights are
fitted on labelled review comments of public projects (docs/learning/comparing.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from math import fsum, sqrt

MOST_WORDS = 400
_WORD = re.compile(r"`|[a-z']+|\?|\d+")


@lru_cache(maxsize=8192)
def holds_rule(text: str) -> float:
    """Return the log odds that a cleaned comment states lasting advice."""
    weights = _weights()
    words = words_of(text)
    found = fsum(weights.get(part, 0.0) for part in sorted(set(word_groups(words))))
    return round(weights[""] + found / sqrt(1 + len(words)), 4)


def words_of(text: str) -> list[str]:
    """Return the words that the gate reads: lower case, code marks, question marks and numbers."""
    return _WORD.findall(text.lower())[:MOST_WORDS]


def word_groups(words: list[str]) -> Iterator[str]:
    """Yield each word, and each two and three words in a row."""
    for size in (1, 2, 3):
        for start in range(len(words) - size + 1):
            yield " ".join(words[start : start + size])


@cache
def _weights() -> Mapping[str, float]:
    """Return the weight of each group of words; that of "" is the intercept."""
    table: Mapping[str, float] = json.loads(
        files("assay.github_app.rule_matching").joinpath("gate.json").read_text("utf-8")
    )
    return table
