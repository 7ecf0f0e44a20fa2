"""Dates in an answer in any form: ISO, "14 March 2025", "March 14th", 14/03/2025, with or without a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may(?! (?:be|have|not|well|also)\b)|june?|july?"
    r"|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_ISO = re.compile(
    r"(?<![\w./-])(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:(?:t|,? )(\d{1,2}):(\d{2})"
    r"(?::\d\d(?:\.\d+)?)?(?: ?z\b|[+-]00:?00)?)?(?!\d|[-/.]\d)"
)
_COMPACT = re.compile(r"(?<![\w.,])((?:19|20)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])(?![\w,])")
_DAY_MONTH = re.compile(
    rf"(?<![\w.,/:-])(\d{{1,2}})(?:st|nd|rd|th)?(?: day)?(?: of)?[ .-]{{0,2}}{_MONTH}(?:,? ?(?:of "
    rf"|in )?-?((?:19|20)\d\d|'\d\d)\b)?"
)
_MONTH_DAY = re.compile(
    rf"\b{_MONTH} *-?(?:the )?(\d{{1,2}}) *(?:st|nd|rd|th)?(?![\d:])(?:,? ?(?:of |in )?-?((?:19|20)\d\d"
    rf"|'\d\d)\b)?"
)
_YEAR_MONTH_DAY = re.compile(rf"\b((?:19|20)\d\d),? {_MONTH} (\d{{1,2}})(?:st|nd|rd|th)?\b")
_NUMERIC = re.compile(r"(?<![\w./-])(\d{1,2})([/.-])(\d{1,2})\2((?:19|20)\d\d|\d\d)(?![\d/]|[-.]\d)")
_MONTH_YEAR = re.compile(rf"\b{_MONTH},? (?:of )?((?:19|20)\d\d)\b")
_CLOCK = re.compile(
    r"(?<![\w:.,$])(\d{1,2})(?:[:h](\d{2})(?::\d{2}(?:\.\d+)?)?)?(?: ?([ap])\.?m\b\.?|(?<=:\d\d)"
    r"|(?<=h\d\d))(?!\w|:\d)"
)
_NAMED_CLOCK = re.compile(r"\b(noon|midnight)\b")
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split()
)
_ORDINAL_WORD = re.compile(
    rf"\b(?:(twenty|thirty)[ -]?)?({'|'.join(_ORDINALS)}|thirtieth)\b(?= (?:day )?(?:of )?{_MONTH})"
)
_ORDINAL_AFTER = re.compile(
    rf"\b({_MONTH.replace('(jan', '(?:jan')} )(?:the )?((?:twenty|thirty)[ -])?({'|'.join(_ORDINALS)}"
    rf"|thirtieth)\b"
)
_NO_DATE = re.compile(rf"(?!.*(?:\d|\bnoon\b|\bmidnight\b|{_MONTH}))", re.DOTALL)
_RUNS_ON = re.compile(r"(?<=[^\W_])[^\W_]|,? ?\d{5,}|,? ?\d{4}[^\W\d_]{2,}")
"""Behind a date: the digits continue, so they are not its year."""
_NEAR = 24


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date at `text[start:end]`: possible `days` (year, month, day), 0 for missing parts."""

    start: int
    end: int
    days: tuple[tuple[int, int, int], ...]
    clock: tuple[int, int] | None = None


def dates(text: str) -> list[DateMention]:
    """Return dates in order, each with the time next to it; a time alone has no days."""
    if _NO_DATE.match(text):
        return []
    text = _with_ordinals_as_digits(text)
    found: list[DateMention] = []
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            mention = read(match)
            if (
                mention
                and not _RUNS_ON.match(text, mention.end)
                and not any(other.start < mention.end and mention.start < other.end for other in found)
            ):
                found.append(mention)
    return _joined_with_times(text, sorted(found, key=lambda mention: mention.start))


def _with_ordinals_as_digits(text: str) -> str:
    """Replace ordinals by digits, "the 14 of march", padded with blanks to keep offsets."""

    def number(tens: str | None, word: str, width: int) -> str:
        value = (
            30
            if word == "thirtieth"
            else _ORDINALS.index(word) + 1 + {"twenty": 20, "thirty": 30}.get((tens or "").strip(" -"), 0)
        )
        return str(value).rjust(width)

    text = _ORDINAL_WORD.sub(lambda found: number(found[1], found[2], len(found[0])), text)
    return _ORDINAL_AFTER.sub(lambda found: found[1] + number(found[2], found[3], len(found[0]) - len(found[1])), text)


def _day(match: re.Match[str], *readings: tuple[Any, ...], clock: tuple[int, int] | None = None) -> DateMention | None:
    days = tuple(dict.fromkeys(day for reading in readings if (day := _checked(*reading))))
    return DateMention(*match.span(), days, clock) if days else None


def _checked(year: str | None, month: str, day: str) -> tuple[int, int, int] | None:
    number = _month(month)
    full = int(year.strip("'")) if year else 0
    full += 2000 if year and full < 100 else 0
    try:
        date(full or 2024, number, int(day))
    except ValueError:
        return None
    return full, number, int(day)


def _month(text: str) -> int:
    return _MONTHS.index(text[:3]) + 1 if text[:3] in _MONTHS else int(text)


def _time_alone(match: re.Match[str]) -> DateMention | None:
    clock = _clock(*match.group(1, 2, 3))
    return DateMention(*match.span(), (), clock) if clock else None


def _clock(hour: str | None, minute: str | None, half: str | None) -> tuple[int, int] | None:
    if hour is None:
        return None
    hours, minutes = int(hour), int(minute or 0)
    if half:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if half == "p" else 0)
    return (hours, minutes) if hours < 24 and minutes < 60 else None


_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], DateMention | None]], ...] = (
    (_ISO, lambda match: _day(match, match.group(1, 2, 3), clock=_clock(match[4], match[5], None))),
    (_YEAR_MONTH_DAY, lambda match: _day(match, match.group(1, 2, 3))),
    (_DAY_MONTH, lambda match: _day(match, match.group(3, 2, 1))),
    (_MONTH_DAY, lambda match: _day(match, match.group(3, 1, 2))),
    (_NUMERIC, lambda match: _day(match, match.group(4, 3, 1), match.group(4, 1, 3))),
    (_MONTH_YEAR, lambda match: DateMention(*match.span(), ((int(match[2]), _month(match[1]), 0),))),
    (_COMPACT, lambda match: _day(match, match.group(1, 2, 3))),
    (_CLOCK, _time_alone),
    (_NAMED_CLOCK, lambda match: DateMention(*match.span(), (), (12, 0) if match[1] == "noon" else (0, 0))),
)


def _joined_with_times(text: str, found: list[DateMention]) -> list[DateMention]:
    joined: list[DateMention] = []
    for mention in found:
        last = joined[-1] if joined else None
        beside = (
            last
            and mention.start - last.end <= _NEAR
            and not re.search(r"[.;\n!?]\s|\band\b|\bbut\b", text[last.end : mention.start])
        )
        if last and beside and last.days and not last.clock and not mention.days:
            joined[-1] = replace(last, end=mention.end, clock=mention.clock)
        elif last and beside and not last.days and mention.days and not mention.clock:
            joined[-1] = replace(mention, start=last.start, clock=last.clock)
        else:
            joined.append(mention)
    return joined
