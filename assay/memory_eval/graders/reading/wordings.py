"""Matching of wordings in another word order or inflection."""

from __future__ import annotations

import re
from functools import lru_cache

from assay.memory_eval.graders.reading.normalizing import plain_value

_WORD = re.compile(r"[^\W_]+")
_SENTENCE_END = re.compile(r"[.!?;\n](?=\s|$)")
_ENDINGS = ("ations", "ation", "ingly", "edly", "ings", "ing", "ies", "ied", "ed", "es", "s", "ly", "e", "y")
_LITTLE = frozenset(
    "a an the of to in on at for from with by as is was are were be been it its that this and or had has have "
    "did do does then so".split()
)
_MAX_SPREAD = 3


def wording_mentions(text: str, wording: str) -> list[tuple[int, int]]:
    """Return (start, end) of each stretch of a sentence that contains all content words close together."""
    wanted = _content(wording)
    if not wanted:
        place = text.find(plain_value(wording)) if wording.strip() else -1
        return [(place, place + len(plain_value(wording)))] if place >= 0 else []
    words = [(stem(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]
    ends = [match.start() for match in _SENTENCE_END.finditer(text)]
    found: list[tuple[int, int]] = []
    for place, (word, start, _) in enumerate(words):
        if word not in wanted or (found and start < found[-1][1]):
            continue
        end = _stretch(words, place, wanted, ends)
        if end is not None and not _starts_later(words, place, wanted, ends, end):
            found.append((start, end))
    return found


def _starts_later(
    words: list[tuple[str, int, int]], place: int, wanted: frozenset[str], ends: list[int], end: int
) -> bool:
    """Return whether the stretch has a later start: the shortest one counts."""
    later = next((other for other in range(place + 1, len(words)) if words[other][0] in wanted), None)
    return later is not None and _stretch(words, later, wanted, ends) == end


def _stretch(words: list[tuple[str, int, int]], place: int, wanted: frozenset[str], ends: list[int]) -> int | None:
    """Return the end of the shortest stretch from here with all words in its sentence, or None."""
    start = words[place][1]
    limit = next((end for end in ends if end > start), None)
    missing = set(wanted)
    for word, begins, ends_at in words[place : place + len(wanted) * _MAX_SPREAD + _MAX_SPREAD]:
        if limit is not None and begins > limit:
            return None
        missing.discard(word)
        if not missing:
            return ends_at
    return None


@lru_cache(maxsize=8192)
def _content(wording: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(plain_value(wording)) if word not in _LITTLE)


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Remove a word's ending: restarted, restarts and restarting are equal."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
