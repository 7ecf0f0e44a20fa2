"""How much each word tells, and which words of a comment tell what it is about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from assay.github_app.advice.intents import tables
from assay.github_app.advice.stances import Reading
from assay.github_app.advice.words import BREAK, stem, without_code


def weight_of(word: str) -> float:
    """Inverse document frequency of a stem, from word_weights.json: 1 for "to", 8 for what is hardly ever said."""
    table = _table()
    return float(table["weights"].get(word, table["rarest"]))


def content_words(reading: Reading) -> list[tuple[str, int]]:
    """The stems that tell what a text is about, each once, with which way they are governed (-1 advised against)."""
    generic = _generic()
    found: dict[str, int] = {}
    for word, sign in zip(reading.words, reading.governed, strict=True):
        plain = without_code(word)
        if word != BREAK and plain not in generic and (len(plain) > 1 or word != plain) and not plain.isdigit():
            found.setdefault(plain, sign)
    return list(found.items())


@cache
def _generic() -> frozenset[str]:
    return frozenset(stem(word) for word in tables()["generic"])


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads(
        files("assay.github_app.advice").joinpath("word_weights.json").read_text("utf-8")
    )
    return table
