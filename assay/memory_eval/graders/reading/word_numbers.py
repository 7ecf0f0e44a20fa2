"""Numbers in words: "two hundred and five", "twenty-one", "four point seven", "a dozen"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen".split()
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_VALUES = {word: value for value, word in enumerate(_SMALL)} | {word: 20 + 10 * at for at, word in enumerate(_TENS)}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_ANY = "|".join([*_VALUES, *_SCALES, "dozen"])
_RUN = re.compile(
    rf"\b(?:an? (?=(?:{'|'.join(_SCALES)}|dozen)\b))?(?:{_ANY})\b(?:(?:[ -]| and |, )(?:{_ANY})\b)*"
    rf"(?: point(?: (?:{'|'.join(_SMALL[:10])})\b)+)?(?!-\d)|\b(?:{'|'.join(_TIMES)})\b"
)
_WORD = re.compile(r"[a-z]+")


class WordNumber(NamedTuple):
    """A number in words at `text[start:end]`."""

    start: int
    end: int
    value: float
    num_words: int


def word_numbers(text: str) -> list[WordNumber]:
    """Return each run of number words as one number, or as several ("two three") where they do not make one."""
    return [number for run in _RUN.finditer(text) for number in _numbers_in(text, *run.span())]


def _numbers_in(text: str, start: int, end: int) -> Iterator[WordNumber]:
    total = current = num = first = last = 0
    room = 0
    decimals = ""
    for match in _WORD.finditer(text, start, end):
        word = match[0]
        if word in ("a", "an"):
            first, num = match.start(), 1
        if word in ("a", "an", "and"):
            continue
        if word == "point" or decimals:
            decimals += str(_VALUES[word]) if decimals else "."
            last, num = match.end(), num + 1
            continue
        value = _VALUES.get(word, _TIMES.get(word, 0))
        if word in _VALUES and num and not 0 < value < room:
            yield WordNumber(first, last, float(total + current), num)
            total, current, num = 0, 0, 0
        first = first if num else match.start()
        if word == "dozen":
            current, room = max(current, 1) * 12, 0
        elif word == "hundred":
            current, room = max(current, 1) * 100, 100
        elif word in _SCALES:
            total, current, room = total + max(current, 1) * _SCALES[word], 0, _SCALES[word]
        else:
            current, room = current + value, 10 if value >= 20 else 0
        last, num = match.end(), num + 1
    if num:
        yield WordNumber(first, last, float(f"{total + current}{decimals}"), num)
