"""Matching of explanations: the content words of a wording, in any order and inflection, or their synonyms.

A wording is found in a stretch of a sentence that has nearly all its content words, all its numbers, and a denial if it
has one itself; an opposite or another action excludes it. Names are optional: an explanation of "cold-storage" may say
"it".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from assay.memory_eval.graders.reading.normalizing import plain_value
from assay.memory_eval.graders.reading.synonyms import ACTIONS, DENIAL, concepts_of, longest_phrase, opposites_of, stem

WORD = re.compile(r"n't\b|[^\W_]+?(?=n't\b)|\d+(?:[.,]\d+)*|[^\W\d_]+(?:'[^\W\d_]+)?|[^\W_]+")
_SENTENCE_END = re.compile(r"(?<!\bno)[.!?;:](?=\s|$)|\n")
_PART = re.compile(r"[,:;()—\u2013]")
_LITTLE = frozenset(
    "a an the of to in on at for from with by as is was are were be been being it its that this and or had has have "
    "did do does then so sitting set give gave given make made use used sat sit before into who which until once each "
    "every per still there their they them came come number no nr other one only under between "
    "switched switch turned turn mounted".split()
)
_DENIALS = frozenset("not n't never no without cannot".split())
_REACH = 4
"""Words up to which a denial reaches."""
_SHARE = 0.7
"""Of a wording's content words and numbers, the share that must be there: two of two, three of three, three of four."""
_MAX_SPREAD = 4
_ADDED_WORDS = 6
_BEFORE_DOING = re.compile(r"\bbefore (?=[^\W\d_]+ing\b)|\bonly after\b")


@dataclass(frozen=True, slots=True)
class _Token:
    """A word or phrase, the concepts it says, and whether it denies or opens a part of the sentence."""

    said: frozenset[str]
    words: tuple[str, ...]
    start: int
    end: int
    denies: bool
    opens: bool


@dataclass(frozen=True, slots=True)
class _Wanted:
    words: tuple[frozenset[str], ...]
    numbers: frozenset[str]
    denies: bool
    order: tuple[frozenset[str], frozenset[str]] | None


class Explanation:
    """The words of an answer, to be searched for wordings; `names` may be left out of any of them."""

    def __init__(self, text: str, names: Iterable[str] = ()) -> None:
        self._names = frozenset(word for name in names for word in WORD.findall(plain_value(name)))
        self._stems = frozenset(map(stem, self._names))
        ends = [*(match.start() for match in _SENTENCE_END.finditer(text)), len(text)]
        self._sentences = [_tokens(text, start, end) for start, end in zip([0, *ends], ends, strict=False)]

    def find(self, wording: str, *, named: bool = False) -> list[tuple[int, int]]:
        """Return (start, end) of the stretches that say a wording; `named`: with its names."""
        wanted = _wanted(wording, frozenset() if named else self._names)
        own = set(WORD.findall(plain_value(wording)))
        found: list[tuple[int, int]] = []
        if not wanted.words and not wanted.numbers:
            return found
        for sentence in self._sentences:
            tokens = sentence
            while (stretch := _stretch(tokens, wanted, self._names)) is not None:
                last = self._furthest_own(tokens, range(stretch[1], len(tokens)), own)
                first = self._furthest_own(tokens, range(stretch[0], -1, -1), own)
                found.append((tokens[first].start, tokens[last].end))
                tokens = tokens[last + 1 :]
        return found

    def _furthest_own(self, tokens: Sequence[_Token], places: range, own: set[str]) -> int:
        """Return the place up to which names and own words stand around a stretch: "… in the uplink of cold-storage".

        `places` begins at the end of the stretch. An outer denial is not part of it.
        """
        furthest, adjoins = places[0], True
        for place in places[1:]:
            token = tokens[place]
            if token.denies:
                break
            if self._stems.intersection(token.said) or (adjoins and own.issuperset(token.words)):
                furthest, adjoins = place, True
            elif _LITTLE.issuperset(token.words):
                adjoins = False
            else:
                break
        return furthest


def _tokens(text: str, start: int, end: int) -> list[_Token]:
    """Return a part of a text as words and phrases with the concepts they may stand for."""
    words = [(match[0], match.start(), match.end()) for match in WORD.finditer(text, start, end)]
    stems = [stem(word) for word, _, _ in words]
    found: list[_Token] = []
    place = 0
    while place < len(words):
        size = longest_phrase(stems, place)
        mine = words[place : place + size]
        said = concepts_of(*stems[place : place + size]).union(
            *(concepts_of(one) for one in stems[place : place + size])
        )
        opens = not place or _PART.search(text, words[place - 1][2], mine[0][1]) is not None
        denies = any(word in _DENIALS and text[stop : stop + 1] != "." for word, _, stop in mine)
        found.append(_Token(said, tuple(word for word, _, _ in mine), mine[0][1], mine[-1][2], denies, opens))
        place += size
    return found


@lru_cache(maxsize=8192)
def _wanted(wording: str, names: frozenset[str]) -> _Wanted:
    text = plain_value(wording)
    words: dict[frozenset[str], None] = {}
    numbers: set[str] = set()
    for token in _tokens(text, 0, len(text)):
        if token.words[0][0].isdigit():
            numbers.add(token.words[0].replace(",", ""))
        elif len(token.words) > 1 and concepts_of(*map(stem, token.words)):
            words[concepts_of(*map(stem, token.words))] = None
        elif not (names | _LITTLE | _DENIALS).issuperset(token.words):
            words[token.said] = None
    denies = not _DENIALS.isdisjoint(WORD.findall(text))
    return _Wanted(tuple(words), frozenset(numbers), denies, _order(text, names))


def _order(text: str, names: frozenset[str]) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return what comes first and what second in "acknowledged messages before storing them"."""
    cut = _BEFORE_DOING.search(text)
    if cut is None:
        return None
    one, other = (
        [word for word in WORD.findall(part) if word not in _LITTLE | names and not word[0].isdigit()]
        for part in (text[: cut.start()], text[cut.end() :])
    )
    if not one or not other:
        return None
    if cut[0].startswith("only"):
        return concepts_of(stem(other[-1])), concepts_of(stem(one[0]))
    return concepts_of(stem(one[0])), concepts_of(stem(other[0]))


def _stretch(tokens: Sequence[_Token], wanted: _Wanted, names: frozenset[str]) -> tuple[int, int] | None:
    """Return the stretch with most of the words, the shortest of several; None without enough of them."""
    num_wanted = len(wanted.words) + len(wanted.numbers)
    hits = [(place, said) for place, token in enumerate(tokens) if (said := _said_by(token, wanted))]
    best: tuple[tuple[int, bool, int], int, int] | None = None
    for first in range(len(hits)):
        met: set[object] = set()
        for place, said in hits[first:]:
            length = place - hits[first][0]
            if length >= num_wanted * _MAX_SPREAD + _ADDED_WORDS:
                break
            if said <= met:
                continue
            met |= said
            num = len(met - {DENIAL})
            enough = num >= num_wanted * _SHARE and wanted.numbers <= met and (not wanted.denies or DENIAL in met)
            worth = num, not tokens[hits[first][0]].denies, -length
            if enough and (best is None or worth > best[0]):
                best = worth, hits[first][0], place
    if best is None:
        return None
    within = tokens[best[1] : best[2] + 1]
    wrong = _is_excluded([one for one in tokens if not names.issuperset(one.words)], wanted) or not _in_order(
        tokens[max(0, best[1] - 1) : best[2] + 1], wanted
    )
    return None if wrong or (not wanted.denies and _is_denied(within, wanted)) else (best[1], best[2])


def _said_by(token: _Token, wanted: _Wanted) -> set[object]:
    """Return which wanted words, numbers and denial this one says."""
    said: set[object] = {word for word in wanted.words if not word.isdisjoint(token.said)}
    said |= wanted.numbers.intersection(word.replace(",", "") for word in token.words)
    if wanted.denies and DENIAL in token.said:
        said.add(DENIAL)
    return said


def _is_excluded(tokens: Sequence[_Token], wanted: _Wanted) -> bool:
    """Return whether a missing word's opposite is there, or another action in place of the wanted one."""
    said = frozenset().union(*(token.said for token in tokens))
    missing = [word for word in wanted.words if word.isdisjoint(said)]
    if any(not opposites_of(word).isdisjoint(said) for word in missing):
        return True
    known = frozenset().union(*wanted.words)
    return any(not word.isdisjoint(ACTIONS) for word in missing) and not (said & ACTIONS) <= known


def _is_denied(tokens: Sequence[_Token], wanted: _Wanted) -> bool:
    """Return whether a word is only there with a denial before it: "the transceiver was not faulty"."""
    denied: set[object] = set()
    stated: set[object] = set()
    left = 0
    for token in tokens:
        left = 0 if token.opens else left - 1
        (denied if left > 0 else stated).update(_said_by(token, wanted))
        left = _REACH + 1 if token.denies and not _said_by(token, wanted) else left
    return bool(denied - stated - wanted.numbers)


def _in_order(tokens: Sequence[_Token], wanted: _Wanted) -> bool:
    """Return whether the word after "before" is the later one, and the word after "after" the earlier one."""
    if wanted.order is None:
        return True
    first, second = wanted.order
    for place, token in enumerate(tokens):
        expected = {"before": second, "after": first, "once": first, "until": first}.get(token.words[-1])
        if expected is None:
            continue
        governed = next((one.said for one in tokens[place + 1 :] if not one.said.isdisjoint(first | second)), None)
        if governed is not None and governed.isdisjoint(expected):
            return False
    return True
