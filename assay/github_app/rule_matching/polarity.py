"""Polarity of each word of a comment: asked for, advised against, said to be absent, or neither.

"use `x`, not `y`" asks for x and advises against y; "no tests" says that tests are absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from assay.github_app.rule_matching.words import BREAK, is_filler, stem, tokens_of

_REACH = 7
"""Words governed by a cue for or against something."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Words of a text, without filler words, and their polarity.

    `governed` has one number per word: 1 asked for, -1 advised against, -2 said to be absent, 0 neither.
    """

    words: tuple[str, ...]
    governed: tuple[int, ...]


@lru_cache(maxsize=4096)
def read(text: str) -> Reading:
    """Read one cleaned text."""
    tokens = tokens_of(text)
    governed = _governed(tokens)
    kept = [place for place, token in enumerate(tokens) if not is_filler(token)]
    return Reading((*(tokens[place] for place in kept), BREAK), (*(governed[place] for place in kept), 0))


def actions_of(reading: Reading) -> frozenset[str]:
    """Return what a text asks to do, as named by `actions` in cues.yaml."""
    found = frozenset(_actions()[word] for word in reading.words if word in _actions())
    return found or frozenset(("add",) if _cues()["wants"] & set(reading.words) else ())


def _governed(tokens: tuple[str, ...]) -> list[int]:
    """Return the polarity of each word, set by earlier cues in its clause."""
    found: list[int] = []
    sign, turned_at, prefers = 0, 0, False
    for place, word in enumerate(tokens):
        turn = _turn(tokens, place, sign, prefers)
        if word == BREAK:
            prefers = False
        elif word in _cues()["prefers"]:
            prefers = True
        if turn is not None:
            sign, turned_at = turn, place
        elif place - turned_at > _REACH:
            sign = 0
        found.append(sign)
        if word in _cues()["unneeded_after"]:
            start = max((at + 1 for at in range(place) if tokens[at] == BREAK), default=0)
            found[start:place] = [-1] * (place - start)
    return found


def _turn(tokens: tuple[str, ...], place: int, sign: int, prefers: bool) -> int | None:
    """Return the polarity from this word on; None if the word is not a cue."""
    cues = _cues()
    word, before = tokens[place], tokens[place - 1] if place else BREAK
    if word == BREAK:
        return 0
    two = cues["against_two"]
    if _pair(tokens, place) in two or (place and _pair(tokens, place - 1) in two) or word in cues["against"]:
        return -1
    if (word == "over" and sign == 1) or (prefers and word in ("to", "over", "than")):
        return -1
    if word == "not" and before == BREAK and place > 1:
        return -1  # "x, not y"
    if word in cues["absent"]:
        return sign if sign == -1 else -2
    if word in cues["reset"]:
        return 0
    if word in cues["towards"] and before not in cues["speaks_of_code"]:
        return -1 if sign < 0 and before in cues["negating"] else 1
    if word in verbs() and (before == BREAK or is_filler(before)) and sign == 0 and _begins_clause(tokens, place):
        return 1
    return None


def _begins_clause(tokens: tuple[str, ...], place: int) -> bool:
    """Return whether only filler words stand between a word and the beginning of its clause."""
    for at in range(place - 1, -1, -1):
        if tokens[at] == BREAK:
            return True
        if not is_filler(tokens[at]):
            return False
    return True


@cache
def verbs() -> frozenset[str]:
    """Return the stems of verbs that reviewers use for requests."""
    return frozenset(map(stem, base_verbs()))


@cache
def base_verbs() -> frozenset[str]:
    """Return the verbs that reviewers use for requests."""
    return frozenset(_table()["verbs"])


def _pair(words: tuple[str, ...], place: int) -> str:
    return f"{words[place]} {words[place + 1]}" if 0 <= place < len(words) - 1 else ""


@cache
def _cues() -> Mapping[str, frozenset[str]]:
    cues = {
        name: frozenset(map(_stemmed, entries))
        for name, entries in _table().items()
        if name not in ("actions", "verbs")
    }
    return {**cues, "negating": cues["against"] | cues["absent"]}


@cache
def _actions() -> Mapping[str, str]:
    return {stem(word): action for action, words in _table()["actions"].items() for word in words}


def _stemmed(entry: str) -> str:
    return " ".join(map(stem, entry.split()))


@cache
def _table() -> Mapping[str, Any]:
    import yaml

    raw: Mapping[str, Any] = yaml.safe_load(
        files("assay.github_app.rule_matching").joinpath("cues.yaml").read_text("utf-8")
    )
    return raw
