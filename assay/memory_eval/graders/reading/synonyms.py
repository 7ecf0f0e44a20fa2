"""Synonyms, opposites and word stems of explanations, from synonyms.yaml."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import yaml

_ENDINGS = ("ations", "ation", "ingly", "edly", "ings", "ing", "ies", "ied", "ed", "es", "s", "ly")
_DOUBLED = re.compile(r"([bdgmnprt])\1$")
_MOST_WORDS = 4
DENIAL = "=without"
"""The concept of every denial."""


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Remove a word's ending: restarted, restarts and restarting are equal, and so are stopped and stop."""
    if word.endswith(("ment", "ments")) and len(word) > 7:
        word = word.removesuffix("s").removesuffix("ment")
    ending = next((one for one in _ENDINGS if word.endswith(one) and len(word) - len(one) >= 3), "")
    if ending and not word.endswith("ss"):
        word = _DOUBLED.sub(r"\1", word.removesuffix(ending))
    return word[:-1] if word.endswith(("e", "y")) and len(word) > 3 else word


@cache
def _table() -> dict[str, Any]:
    text = files("assay.memory_eval.graders.reading").joinpath("synonyms.yaml").read_text("utf-8")
    return dict(yaml.load(text, Loader=yaml.BaseLoader))  # noqa: S506 - BaseLoader keeps "no", "on" and "off" as texts


def _stems(wording: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in re.findall(r"n't|[^\W_]+(?:'[^\W_]+)?", str(wording)))


@cache
def _concepts() -> dict[tuple[str, ...], frozenset[str]]:
    """Return the concepts of each word and phrase; a concept is "=" and the first wording of its row."""
    found: dict[tuple[str, ...], set[str]] = {}
    for row in _table()["same"]:
        for wording in row:
            found.setdefault(_stems(wording), set()).add(f"={row[0]}")
    for wording, meant in _table()["means"].items():
        found.setdefault(_stems(wording), set()).update(f"={one}" for one in meant)
    return {words: frozenset(concepts) for words, concepts in found.items()}


def concepts_of(*stems: str) -> frozenset[str]:
    """Return the concepts of a word, with its stem, or those of a phrase."""
    known = _concepts().get(stems, frozenset())
    return known | {stems[0]} if len(stems) == 1 else known


def longest_phrase(stems: Sequence[str], place: int) -> int:
    """Return the number of words of the longest known phrase at a place, 1 if there is none."""
    sizes = range(min(_MOST_WORDS, len(stems) - place), 1, -1)
    return next((size for size in sizes if tuple(stems[place : place + size]) in _concepts()), 1)


@cache
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one, other in _table()["opposites"]:
        for word, against in ((one, other), (other, one)):
            found.setdefault(f"={word}", set()).update(_meant(against))
            found.setdefault(stem(word), set()).update(_meant(against))
    return {word: frozenset(against) for word, against in found.items()}


def _meant(word: str) -> frozenset[str]:
    return concepts_of(*_stems(word)) | {f"={word}"}


def opposites_of(word: frozenset[str]) -> frozenset[str]:
    """Return the concepts that exclude those of a word."""
    return frozenset().union(*(_opposites().get(concept, frozenset()) for concept in word)) - word


ACTIONS = frozenset(f"={word}" for word in _table()["actions"]) | frozenset(map(stem, _table()["actions"]))
"""What can be done about a problem."""
