"""Numbers in words: "two hundred and five", "twenty-one", "four point seven", "a dozen"."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SMALL = dict(zip(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen".split(),
    range(20), strict=True,
))  # fmt: skip
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_ANY = "|".join([*_SMALL, *_TENS, *_SCALES, "dozen"])
_RUN = re.compile(
    rf"\b(?:an? (?=(?:{'|'.join(_SCALES)}|dozen)\b))?(?:{_ANY})\b(?:(?:[ -]| and "
    rf"|, )(?:{_ANY})\b)*(?: point(?: (?:{'|'.join(_SMALL)})\b)+)?|\b(?:{'|'.join(_TIMES)})\b"
)
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True, slots=True)
class WordNumber:
    """A number in words at `text[start:end]`."""

    start: int
    end: int
    value: float
    num_words: int


def word_numbers(text: str) -> list[WordNumber]:
    """Return each run of number words as one number; invalid runs ("two three") word by word."""
    found: list[WordNumber] = []
    for match in _RUN.finditer(text):
        if match.end() < len(text) and text[match.end()] == "-" and text[match.end() + 1 : match.end() + 2].isdigit():
            continue
        words = [
            (word[0], match.start() + word.start(), match.start() + word.end()) for word in _WORD.finditer(match[0])
        ]
        found.extend(_numbers_in(words))
    return found


def _numbers_in(words: list[tuple[str, int, int]]) -> list[WordNumber]:
    names = [word[0] for word in words]
    value = _value(names)
    if value is not None:
        return [WordNumber(words[0][1], words[-1][2], value, len(words))]
    singles = ((_value([name]), start, end) for name, start, end in words)
    return [WordNumber(start, end, one, 1) for one, start, end in singles if one is not None]


def _value(names: list[str]) -> float | None:
    """Return the number of these words, or None if they are not a number."""
    if names[0] in _TIMES:
        return float(_TIMES[names[0]])
    if "point" in names:
        return _with_decimals(names)
    total, current, last = 0, 0, 10**12
    for place, name in enumerate(names):
        if name in ("and", "a", "an"):
            continue
        if name == "dozen":
            return float((current or 1) * 12) if place == len(names) - 1 and not total else None
        if name in _SCALES:
            scale = _SCALES[name]
            if scale == 100:
                current = (current or 1) * 100
            else:
                total, current = total + (current or 1) * scale, 0
            last = scale
            continue
        step = _SMALL.get(name, _TENS.get(name, 0))
        if (name in _TENS and last <= 90) or (name in _SMALL and (last < 20 or (last <= 90 and not 0 < step < 10))):
            return None
        current, last = current + step, 15 if name in _SMALL else 90
    return float(total + current)


def _with_decimals(names: list[str]) -> float | None:
    place = names.index("point")
    whole, digits = _value(names[:place]) if place else 0.0, names[place + 1 :]
    if whole is None or not digits or any(_SMALL.get(digit, 10) > 9 for digit in digits):
        return None
    return whole + float("0." + "".join(str(_SMALL[digit]) for digit in digits))
