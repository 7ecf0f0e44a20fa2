"""Tokens and typed values of a text: one pass, the same for entries, names and values.

A token is a word without plural, a number without separators, a date as ISO, or a code such as a version or an address.
Numbers and dates also have *keys*, equal for all ways to write them: "0.48 s" and "480 ms" are both "time:0.48".
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from typing import NamedTuple

from assay.memory_eval.adapters.extracting.retrieval import singular
from assay.memory_eval.holding.units import COUNT_WORDS, MULTIPLIERS, UNITS

STOP_WORDS = frozenset("a an the of to in on at for and or with by is was were be been each every".split())
"""Words that are left out: a value is found whether a memory keeps them or not."""

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_TIME = r"(?:(?:[t,:]|,? at)? ?(\d{2}):(\d{2})(?::\d{2})?)?"
_TOKEN = re.compile(
    rf"(?<![\w.])(?P<iso>(\d{{4}})[-/](\d\d)[-/](\d\d){_TIME})"
    rf"|(?<![\w.])(?P<dmy>(\d{{1,2}})(?:st|nd|rd|th)?[ /-](?:of )?({_MONTH}),?[ /-](\d{{4}}){_TIME})(?!\d)"
    rf"|(?P<mdy>\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}}){_TIME})(?!\d)"
    r"|(?<![\w.])(?P<numeric>(\d{1,2})[./](\d{1,2})[./](\d{4}))(?![\w/])"
    r"|(?<![\w.])v?(?P<code>\d+(?:\.\d+){2,}(?:/\d+)?)"
    r"|(?P<word>[^\W\d_]\w*(?:[-]\w+|[.@'][^\W\d_]\w*)*)"
    r"|(?P<number>(?P<currency>[$€£]|\b(?:usd|eur|gbp) ?)?"
    r"(?P<digits>\d{1,3}(?:[,' ]\d{3})+(?![\d])(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?: ?(?P<times>k|m|mn|mio|million|b|bn|billion|thousand)\b)?(?= ?(?P<unit>%|\$|[^\W\d_]+)?))"
)
_PART = re.compile(r"[^\W_]+")
_QUOTES = str.maketrans(
    {"\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{NO-BREAK SPACE}": " ", "\N{NARROW NO-BREAK SPACE}": " "}
)
_CURRENCIES = {"$": "usd", "usd": "usd", "€": "eur", "eur": "eur", "£": "gbp", "gbp": "gbp"}
_CURRENCY_WORDS = {"usd": "usd", "dollar": "usd", "$": "usd", "eur": "eur", "euro": "eur", "gbp": "gbp", "pound": "gbp"}


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
    folded = fold(text)
    tokens: list[str] = []
    spans: list[tuple[int, int]] = []
    mentions: list[Mention] = []
    for match in _TOKEN.finditer(folded):
        span = match.span()
        if match["word"] is not None:
            for part in _PART.findall(match["word"].removesuffix("'s")):
                if part not in STOP_WORDS:
                    tokens.append(singular(part))
                    spans.append(span)
            continue
        token, keys = _typed(match)
        mentions.append(Mention(len(tokens), *span, keys))
        tokens.append(token)
        spans.append(span)
    return Lexed(folded, tokens, spans, mentions)


def fold(text: str) -> str:
    """Return the text in lower case, without accents and typographic quotes."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.translate(_QUOTES))
    return "".join(sign for sign in plain if not unicodedata.combining(sign)).casefold()


def number_key(family: str, value: float) -> str:
    """Return the key of a number: equal values of one family of units have equal keys."""
    return f"{family}:{value:.10g}"


def _typed(match: re.Match[str]) -> tuple[str, tuple[str, ...]]:
    if match["code"] is not None:
        return match["code"], (match["code"],)
    if match["digits"] is not None:
        return _number(match)
    days = _days(match)
    if not days:
        return match[0], ()
    return days[0], tuple(days)


def _number(match: re.Match[str]) -> tuple[str, tuple[str, ...]]:
    digits = re.sub(r"[,' ]", "", match["digits"])
    value = float(digits)
    times, unit = match["times"], singular(match["unit"] or "")
    currency = _CURRENCIES.get((match["currency"] or "").strip()) or _CURRENCY_WORDS.get(unit)
    factor = MULTIPLIERS.get(times or "", 1.0)
    if currency:
        return digits, (number_key(currency, value * factor),)
    if times == "m":  # metres, minutes or millions
        return digits, (number_key("length", value), number_key("time", value * 60), number_key("", value * 1e6))
    if unit in UNITS:
        family, scale = UNITS[unit]
        return digits, (number_key(family, value * factor * scale),)
    family = COUNT_WORDS.get(unit, "")
    keys = (number_key(family, value * factor),)
    # "1.882 b" may be bytes, and "4 k" a name: without a unit the bare number counts too.
    return digits, keys if times is None else (*keys, number_key("", value))


def _days(match: re.Match[str]) -> list[str]:
    """Return the days a date may mean, each with its time first if it has one; empty if there is no such day."""
    if match["iso"] is not None:
        numbers = re.findall(r"\d+", match["iso"])
        return _with_time(int(numbers[0]), int(numbers[1]), int(numbers[2]), numbers[3:5])
    if match["numeric"] is not None:
        one, two, year = map(int, re.findall(r"\d+", match["numeric"]))
        return list(dict.fromkeys(_with_time(year, two, one, []) + _with_time(year, one, two, [])))
    text = match["dmy"] or match["mdy"]
    numbers = re.findall(r"\d+", text)
    month = next(place for place, name in enumerate(_MONTHS, start=1) if re.search(rf"(?<![a-z]){name}", text))
    return _with_time(int(numbers[1]), month, int(numbers[0]), numbers[2:4])


def _with_time(year: int, month: int, day: int, time: list[str]) -> list[str]:
    try:
        told = date(year, month, day).isoformat()
    except ValueError:
        return []
    return [f"{told} {time[0]}:{time[1]}", told] if len(time) == 2 else [told]
