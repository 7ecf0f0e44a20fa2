"""Matching of explanations: the content words of a wording, in any order and inflection, or their synonyms.

A wording is found in a stretch of a sentence that has nearly all its content words, all its numbers, and a denial if it
has one itself. Names are optional: an explanation of "cold-storage" may say "it".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

import yaml

from assay.memory_eval.graders.reading.normalizing import plain_value

_WORD = re.compile(r"n't\b|[^\W_]+?(?=n't\b)|\d+(?:[.,]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)?|[^\W_]+")
_SENTENCE_END = re.compile(r"(?<!\bno)[.!?;\n](?=\s|$)")
_ENDINGS = ("ations", "ation", "ingly", "edly", "ings", "ing", "ies", "ied", "ed", "es", "s", "ly", "e", "y")
_DOUBLED = re.compile(r"([bdgmnprt])\1$")
_LITTLE = frozenset(
    "a an the of to in on at for from with by as is was are were be been being it its that this and or had has have "
    "did do does then so set give gave given make made use used sat sit before into who which until once each every "
    "per still there their they them came come number no nr".split()
)
_NOT = "not"
_DENIALS = frozenset("not n't never without cannot".split())
_BEFORE_DOING = re.compile(r"\bbefore (?=[^\W\d_]+ing\b)")
_SHARE = 0.7
"""Of a wording's content words and numbers, the share that must be there: two of two, three of three, three of four."""
_MAX_SPREAD = 4
_ADDED_WORDS = 6


@dataclass(frozen=True, slots=True)
class _Token:
    said: frozenset[str]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Wanted:
    words: frozenset[str]
    numbers: frozenset[str]
    denies: bool
    order: tuple[str, str] | None


class Explanation:
    """The words of an answer, to be searched for wordings; `names` may be left out of any of them."""

    def __init__(self, text: str, names: Iterable[str] = ()) -> None:
        self._names = frozenset(word for name in names for word in _WORD.findall(plain_value(name)))
        self._sentences: list[list[_Token]] = []
        start = 0
        for end in [*(match.start() for match in _SENTENCE_END.finditer(text)), len(text)]:
            self._sentences.append(_tokens(text, start, end))
            start = end

    def find(self, wording: str, *, named: bool = False) -> list[tuple[int, int]]:
        """Return (start, end) of the shortest stretch of each sentence that says a wording; `named`: with its names."""
        wanted = _wanted(wording, frozenset() if named else self._names)
        if not wanted.words and not wanted.numbers:
            return []
        found = []
        for tokens in self._sentences:
            stretch = _shortest(tokens, wanted)
            if stretch is not None:
                found.append(stretch)
        return found


def _tokens(text: str, start: int, end: int) -> list[_Token]:
    """Return a sentence's words as the concepts they may stand for; phrases of synonyms become one word."""
    words = [(match[0], match.start(), match.end()) for match in _WORD.finditer(text, start, end)]
    stems = [stem(word) for word, _, _ in words]
    found, place = [], 0
    while place < len(words):
        length = next((size for size in _sizes().get(stems[place], ()) if _phrase(stems, place, size)), 1)
        said = _concepts(stems[place]) if length == 1 else _phrase(stems, place, length)
        found.append(_Token(frozenset(said), words[place][1], words[place + length - 1][2]))
        place += length
    return found


def _phrase(stems: list[str], place: int, size: int) -> frozenset[str]:
    return _synonyms().get(tuple(stems[place : place + size]), frozenset()) if place + size <= len(stems) else frozenset()


def _concepts(word: str) -> frozenset[str]:
    return _synonyms().get((word,), frozenset()) | {word}


@cache
def _synonyms() -> dict[tuple[str, ...], frozenset[str]]:
    """Return the concepts of each word or phrase, by stems."""
    rows = yaml.safe_load(files("assay.memory_eval.graders.reading").joinpath("synonyms.yaml").read_text("utf-8"))
    found: dict[tuple[str, ...], set[str]] = {}
    for row in rows:
        concept = f"={row[0]}"
        for wording in row:
            found.setdefault(tuple(stem(word) for word in _WORD.findall(str(wording))), set()).add(concept)
    return {words: frozenset(concepts) for words, concepts in found.items()}


@cache
def _sizes() -> dict[str, tuple[int, ...]]:
    sizes: dict[str, set[int]] = {}
    for words in _synonyms():
        if len(words) > 1:
            sizes.setdefault(words[0], set()).add(len(words))
    return {word: tuple(sorted(found, reverse=True)) for word, found in sizes.items()}


@lru_cache(maxsize=8192)
def _wanted(wording: str, names: frozenset[str]) -> _Wanted:
    said = plain_value(wording)
    words = _WORD.findall(said)
    denies = not _DENIALS.isdisjoint(words)
    content = {word for word in words if word not in _LITTLE and word not in names and word not in _DENIALS}
    numbers = {word.replace(",", "") for word in content if word[0].isdigit()}
    plain = {stem(word) for word in content if not word[0].isdigit()}
    return _Wanted(frozenset(plain), frozenset(numbers), denies, _order(said, names))


def _order(said: str, names: frozenset[str]) -> tuple[str, str] | None:
    """Return what comes first and second in "acknowledged messages before storing them"."""
    cut = _BEFORE_DOING.search(said)
    if cut is None:
        return None
    earlier = [word for word in _WORD.findall(said[: cut.start()]) if word not in _LITTLE and word not in names]
    return (stem(earlier[0]), stem(_WORD.findall(said[cut.end() :])[0])) if earlier else None


def _shortest(tokens: list[_Token], wanted: _Wanted) -> tuple[int, int] | None:
    """Return the shortest stretch with enough of the words."""
    least = (len(wanted.words) + len(wanted.numbers)) * _SHARE
    hits = [(place, said) for place, token in enumerate(tokens) if (said := _said_by(token, wanted))]
    longest = (len(wanted.words) + len(wanted.numbers)) * _MAX_SPREAD + _ADDED_WORDS
    best: tuple[int, int] | None = None
    for first in range(len(hits)):
        met: set[str] = set()
        for place, said in hits[first:]:
            if place - hits[first][0] >= longest:
                break
            met |= said
            if len(met - {_NOT}) >= least and wanted.numbers <= met and (not wanted.denies or _NOT in met):
                if best is None or place - hits[first][0] < best[1] - best[0]:
                    best = hits[first][0], place
                break
    if best is None or not _in_order(tokens, wanted):
        return None
    return tokens[best[0]].start, tokens[best[1]].end


def _said_by(token: _Token, wanted: _Wanted) -> set[str]:
    """Return which wanted words this one says."""
    said = {word for word in wanted.words if word in token.said or not _concepts(word).isdisjoint(token.said)}
    said |= {number for number in wanted.numbers if any(word.replace(",", "") == number for word in token.said)}
    if wanted.denies and "=without" in token.said:
        said.add(_NOT)
    return said


def _in_order(tokens: list[_Token], wanted: _Wanted) -> bool:
    """Return whether the word after "before" is the later one, and the word after "after" the earlier one."""
    if wanted.order is None:
        return True
    first, second = (_concepts(word) for word in wanted.order)
    for place, token in enumerate(tokens):
        follows = {"before": second, "after": first}
        expected = next((one for word, one in follows.items() if word in token.said), None)
        if expected is None:
            continue
        governed = next((one.said for one in tokens[place + 1 :] if not one.said.isdisjoint(first | second)), None)
        if governed is not None and governed.isdisjoint(expected):
            return False
    return True


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Remove a word's ending: restarted, restarts and restarting are equal, and so are stopped and stop."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 + (len(ending) < 2):
            cut = word[: -len(ending)]
            return _DOUBLED.sub(r"\1", cut)
    return word
