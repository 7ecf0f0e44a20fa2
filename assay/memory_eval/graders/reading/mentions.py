"""Known values in an answer, as whole words: "Lin" is not in "Berlin", nor 10.0.0.1 in 110.0.0.1."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from assay.memory_eval.graders.reading.normalizing import plain_value

_WORD = re.compile(r"[^\W_]+[+#]*")
_ARTICLE = re.compile(r"^(?:the|an?)\s+(?=\S)")
_LOOSE_GAP = re.compile(r"[ \-_'/\u2013]{1,3}\Z")
_PERSON = re.compile(r"[A-Z][a-z]+ [A-Z][a-z]+\Z")
_GLUE_BEFORE = re.compile(r"[^\W_]'?[-_.@/]\Z")
_GLUE_AFTER = re.compile(r"[-_.@/][^\W_]")
_OF = ("of", "by", "from")
_GOES = re.compile(r"go (?:with|to|for|through|back|on|ahead|over|by|and)\b")
"""The verb, as opposed to the language Go."""

MAX_MENTIONS = 2_000
"""More than any answer within its budget can contain."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A value at `text[start:end]`."""

    start: int
    end: int
    value: Hashable

    def overlaps(self, other: Mention) -> bool:
        """Return whether two mentions overlap."""
        return self.start < other.end and other.start < self.end


def apart(mentions: Iterable[Mention], taken: Sequence[Mention]) -> list[Mention]:
    """Return the mentions that overlap none of the taken ones."""
    return [one for one in mentions if not any(one.overlaps(other) for other in taken)]


def each_once(mentions: Iterable[Mention]) -> list[Mention]:
    """Return the first of overlapping mentions."""
    kept: list[Mention] = []
    for mention in mentions:
        kept += apart([mention], kept)
    return kept


@dataclass(frozen=True, slots=True)
class _Wording:
    """Words of a value with the gaps between them; `whole` is false for a shortened name."""

    words: tuple[str, ...]
    gaps: tuple[str, ...]
    value: Hashable
    whole: bool


class KnownValues:
    """Values that are claims if an answer names them, each with its other wordings."""

    def __init__(
        self, values: Iterable[str], aliases: Mapping[str, Sequence[str]], context: Iterable[str] = ()
    ) -> None:
        self._values = {value: tuple(map(str, aliases.get(value, ()))) for value in values}
        self._context = tuple(context)
        self._by_first_word: dict[str, list[_Wording]] = {}

    def find(self, text: str, cased: str) -> list[Mention]:
        """Return the mentions in order without nesting; the longest at each place. A value of None is not a claim."""
        words = [(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]
        self._look_up({word[0] for word in words})
        found: list[Mention] = []
        place = 0
        while place < len(words) and len(found) < MAX_MENTIONS:
            wording = self._longest_at(place, words, text, cased)
            if wording is None:
                place += 1
                continue
            last = place + len(wording.words) - 1
            found.append(Mention(words[place][1], words[last][2], wording.value))
            place = last + 1
        return found

    def _look_up(self, said: set[str]) -> None:
        """Search wordings whose first word occurs; a value's wordings precede another value's plurals."""
        plurals: list[_Wording] = []
        for value, aliases in self._values.items():
            for wording in _wordings_of(value, aliases):
                if wording.words[0] in said:
                    self._add(wording)
            plurals.extend(wording for wording in _other_numbers_of(value) if wording.words[0] in said)
        for wording in plurals:
            self._add(wording)
        for value in self._context:
            for wording in _wordings_of(value, ()):
                if wording.words[0] in said:
                    self._add(_Wording(wording.words, wording.gaps, None, whole=True))

    def _add(self, wording: _Wording) -> None:
        known = self._by_first_word.setdefault(wording.words[0], [])
        if not any(other.words == wording.words and other.gaps == wording.gaps for other in known):
            known.append(wording)

    def _longest_at(self, place: int, words: list[tuple[str, int, int]], text: str, cased: str) -> _Wording | None:
        best: _Wording | None = None
        for wording in self._by_first_word.get(words[place][0], ()):
            if best is not None and len(wording.words) <= len(best.words):
                continue
            if wording.words == ("go",) and _GOES.match(cased, words[place][1]):
                continue
            if _stands_at(wording, place, words, text) and (
                wording.whole or not _part_of_a_name(place, wording, words, cased)
            ):
                best = wording
        return best


@lru_cache(maxsize=65536)
def _wordings_of(value: str, aliases: tuple[str, ...]) -> tuple[_Wording, ...]:
    """Return the value and its aliases; a single word of a longer name is a shortened name."""
    several = " " in value.strip()
    is_name = several and value != value.lower()
    wordings = [(value, True), *((alias, not is_name or " " in alias.strip()) for alias in aliases)]
    found = [_Wording(*_words_of(wording), value, whole) for wording, whole in wordings if _words_of(wording)[0]]
    words = _words_of(value)[0]
    if _PERSON.match(value):
        found.append(_Wording((words[1], words[0]), (", ",), value, whole=True))
    if is_name and len(words) > 1:  # "the press release by Vantage"
        ways = (_Wording((*words[1:], way, words[0]), (" ",) * len(words), value, whole=True) for way in _OF)
        found.extend(ways)
    return tuple(found)


@lru_cache(maxsize=65536)
def _other_numbers_of(value: str) -> tuple[_Wording, ...]:
    """Return the other number, singular or plural, of a common noun."""
    if value != value.lower() or not value.replace(" ", "").replace("-", "").isalpha() or len(value) < 4:
        return ()
    others = [f"{value}s", f"{value}es"]
    if value.endswith("s") and not value.endswith("ss"):
        others = [value[:-1]] + ([value[:-2]] if value.endswith("es") else [])
    return tuple(_Wording(*_words_of(other), value, whole=True) for other in others)


@lru_cache(maxsize=65536)
def _words_of(wording: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    text = _ARTICLE.sub("", plain_value(wording))
    spans = [(match[0], match.start(), match.end()) for match in _WORD.finditer(text)]
    gaps = tuple(text[one[2] : two[1]] for one, two in pairwise(spans))
    return tuple(span[0] for span in spans), gaps


def _stands_at(wording: _Wording, place: int, words: list[tuple[str, int, int]], text: str) -> bool:
    last = place + len(wording.words) - 1
    if last >= len(words) or any(words[place + step][0] != wording.words[step] for step in range(1, last - place + 1)):
        return False
    for step, gap in enumerate(wording.gaps):
        between = text[words[place + step][2] : words[place + step + 1][1]]
        if between.strip() != gap.strip() and not (_LOOSE_GAP.match(between) and _LOOSE_GAP.match(gap)):
            return False
    start, end = words[place][1], words[last][2]
    return not _glued(text, start, end)


def _glued(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 3) : start], text[end : end + 2]
    if _GLUE_BEFORE.search(before) and not (before.endswith("/") and not _has_digit(text[start - 2] + text[start])):
        return True
    if not _GLUE_AFTER.match(after):
        return False
    return not (after.startswith("/") and not _has_digit(text[end - 1] + after[1]))


def _has_digit(text: str) -> bool:
    return any(sign.isdigit() for sign in text)


def _part_of_a_name(place: int, wording: _Wording, words: list[tuple[str, int, int]], cased: str) -> bool:
    """Return whether a shortened name is part of another name: "Chen" in "David Chen" or "Chen Wu"."""
    last = place + len(wording.words) - 1
    if place and _adjoins(cased, words[place - 1][2], words[place][1]):
        start = words[place - 1][1]
        starts_sentence = start == 0 or cased[:start].rstrip(' "(')[-1:] in ".!?:;\n•"
        before = words[place - 1][0]
        opens = starts_sentence and (before in _OPENERS or before.endswith("ly"))
        if cased[start].isupper() and not opens and before not in _TITLES:
            return True
    if last + 1 < len(words) and _adjoins(cased, words[last][2], words[last + 1][1]):
        return cased[words[last + 1][1]].isupper() and cased[words[place][1]].isupper() and len(words[last + 1][0]) > 1
    return False


def _adjoins(text: str, end: int, start: int) -> bool:
    return text[end:start] == " "


_OPENERS = frozenset(
    "it is its by the that this maybe perhaps now today yes no so well ok sure and only just answer lead leader then"
    " still my our from since as of with for to at on in not was currently again here thanks name person".split()
)
_TITLES = frozenset(
    "mr mrs ms mx dr prof professor engineer lead manager director commander captain officer chief ceo i".split()
)
