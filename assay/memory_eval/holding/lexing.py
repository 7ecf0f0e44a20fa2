"""Tokens and typed values of a text: one pass, the same for entries, names and values.

A token is a word without plural, a number without separators, a date as ISO, or a code such as a version or an address.
Numbers and dates also have *keys*, equal for all ways to write them: "0.48 s" and "480 ms" are both "time:480".
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from assay.memory_eval.adapters.extracting.retrieval import singular
from assay.memory_eval.graders.reading.dates import DateMention, dates
from assay.memory_eval.graders.reading.units import CURRENCIES, SCALES, UNITS, Unit
from assay.memory_eval.holding.units import COUNT_WORDS, measure_named

STOP_WORDS = frozenset("a an the of to in on at for and or with by is was were be been each every".split())
"""Words that are left out: a value is found whether a memory keeps them or not."""

_TOKEN = re.compile(
    r"(?<![\w.])v?(?P<code>\d+(?:\.\d+){2,}(?:/\d+)?)"
    r"|(?P<word>[^\W\d_]\w*(?:[-]\w+|[.@'][^\W\d_]\w*)*)"
    r"|(?P<number>(?P<currency>[$€£]|\b(?:usd|eur|gbp) ?)?"
    r"(?P<digits>\d{1,3}(?:[,' ]\d{3})+(?![\d])(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?: ?(?P<times>k|m|mn|mio|million|b|bn|billion|thousand)\b)?(?= ?(?P<unit>%|[$€£]|[^\W\d_]+)?))"
)
_VERSION = re.compile(r"\d+\.\d+\.\d\d")
"""A version, which could be read as a date with a year of two digits."""
_PART = re.compile(r"[^\W_]+")
_QUOTES = str.maketrans(
    {"\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{NO-BREAK SPACE}": " ", "\N{NARROW NO-BREAK SPACE}": " "}
)


class Mention(NamedTuple):
    """A number or date in a text: its place among the tokens, its span of characters, and its keys."""

    place: int
    start: int
    end: int
    keys: tuple[str, ...]


class Lexed(NamedTuple):
    """The folded text, its tokens with their spans of characters, and the numbers and dates among them."""

    text: str
    tokens: list[str]
    spans: list[tuple[int, int]]
    mentions: list[Mention]


def lexed(text: str) -> Lexed:
    """Return the tokens and typed values of a text."""
    found = Lexed(fold(text), [], [], [])
    place = 0
    for day in dates(found.text):
        is_version = _VERSION.fullmatch(found.text, day.start, day.end)
        if not is_version and (keys := _keys_of_date(day)):
            _read(found, place, day.start)
            _add(found, (day.start, day.end), keys[-1], keys)
            place = day.end
    _read(found, place, len(found.text))
    return found


def _read(found: Lexed, start: int, end: int) -> None:
    """Add the words and numbers of a part without dates."""
    for match in _TOKEN.finditer(found.text, start, end):
        if match["word"] is not None:
            words = [word for word in _PART.findall(match["word"].removesuffix("'s")) if word not in STOP_WORDS]
            found.tokens.extend(map(singular, words))
            found.spans.extend([match.span()] * len(words))
        elif match["code"] is not None:
            _add(found, match.span(), match["code"], (match["code"],))
        else:
            _add(found, match.span(), *_number(match))


def _add(found: Lexed, span: tuple[int, int], token: str, keys: tuple[str, ...]) -> None:
    found.mentions.append(Mention(len(found.tokens), *span, keys))
    found.tokens.append(token)
    found.spans.append(span)


def fold(text: str) -> str:
    """Return the text in lower case, without accents and typographic quotes."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.translate(_QUOTES))
    return "".join(sign for sign in plain if not unicodedata.combining(sign)).casefold()


def number_key(family: str, value: float) -> str:
    """Return the key of a number: equal values of one family of units have equal keys."""
    return f"{family}:{value:.10g}"


def number_keys(unit: Unit, value: float) -> tuple[str, ...]:
    """Return the keys of a number with a unit, one for each size the unit may have."""
    return tuple(number_key(unit.family, value * factor) for factor in unit.factors)


def _number(match: re.Match[str]) -> tuple[str, tuple[str, ...]]:
    digits = re.sub(r"[,' ]", "", match["digits"])
    times, value = match["times"], float(digits)
    word = match["unit"] or ""
    unit = measure_named((match["currency"] or "").strip()) or measure_named(word)
    factor = SCALES.get(times or "", 1.0)
    if times == "m" and not (unit and unit.family in CURRENCIES):  # metres, minutes or millions
        return digits, (*number_keys(UNITS["m"], value), *number_keys(UNITS["min"], value), number_key("", value * 1e6))
    if unit:
        return digits, number_keys(unit, value * factor)
    key = number_key(COUNT_WORDS.get(singular(word), ""), value * factor)
    # "1.882 b" may be bytes, and "4 k" a name: without a unit the bare number counts too.
    return digits, (key,) if times is None else (key, number_key("", value))


def _keys_of_date(day: DateMention) -> tuple[str, ...]:
    """Return the days a date may mean, each with its time first if it has one; none without its year."""
    days = [f"{one[0]}-{one[1]:02}-{one[2]:02}" for one in day.days if one[0] and one[2]]
    times = [f"{one} {day.clock[0]:02}:{day.clock[1]:02}" for one in days] if day.clock else []
    return (*times, *days)
