"""Weights of words, in general and in one repository, and the calibration of decisions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from math import log
from typing import Any


def weight_of(word: str) -> float:
    """Return the inverse document frequency of a stem, from word_weights.json: 1 for "to", 8 for the rarest."""
    table = _table()
    return float(table["weights"].get(word, table["rarest"]))


PRIOR = 500
"""Advice of a repository at which its own word frequencies count as much as the general ones."""

_LEAST = 0.3


class Rarity:
    """Weight of words in one repository: the general weight, and the inverse frequency in the advice seen there."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._num = 0

    def add(self, words: Iterable[str]) -> None:
        """Count the distinct words of one piece of advice."""
        self._counts.update(set(words))
        self._num += 1

    def weight_of(self, word: str) -> float:
        """Return the weight of a stem: up to that of the rarest in general."""
        if not self._num:
            return weight_of(word)
        own = log((self._num + 1) / (self._counts[word] + 0.5)) / log((self._num + 1) / 0.5)
        share = self._num / (self._num + PRIOR)
        return max(_LEAST, (1 - share) * weight_of(word) + share * float(_table()["rarest"]) * own)


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads(
        files("assay.github_app.rule_matching").joinpath("word_weights.json").read_text("utf-8")
    )
    return table


@cache
def calibration() -> Mapping[str, Any]:
    """Return `same` and `likely` (scores), `gate` (log odds), `intercept` and `weights` by feature name."""
    text = files("assay.github_app.rule_matching").joinpath("calibration.json").read_text("utf-8")
    table: Mapping[str, Any] = json.loads(text)
    return table
