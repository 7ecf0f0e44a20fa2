"""Dates in a text in any form: ISO, "14 March 2025", "March 14th", 14/03/2025, with or without a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may(?! (?:be|have|not|well|also)\b)|june?|july?"
    r"|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_ONES = "first second third fourth fifth sixth seventh eighth ninth".split()
_TEENS = "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth".split()
_ORDINALS = [*_ONES, *_TEENS, "twentieth", *(f"twenty-{one}" for one in _ONES), "thirtieth", "thirty-first"]
_DAY = rf"(?:(\d{{1,2}})(?:st|nd|rd|th)?|({'|'.join(reversed(_ORDINALS)).replace('-', '[ -]')})\b)"
_YEAR = r"((?:19|20)\d\d)"
_YEAR_AFTER = r"(?:,? ?(?:of |in )?-?((?:19|20)\d\d|'\d\d)\b)?"
_DATE = re.compile(
    r"(?<![\w./-])(?P<iso>(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:(?:t|,? )(\d{1,2}):(\d{2})(?::\d\d(?:\.\d+)?)?"
    r"(?: ?z\b|[+-]00:?00)?)?)(?!\d|[-/.]\d)"
    rf"|\b(?P<year_month_day>{_YEAR},? {_MONTH} {_DAY})\b"
    rf"|(?<![\w.,/:-])(?P<day_month>{_DAY}(?: day)?(?: of)?[ .-]{{0,2}}{_MONTH}{_YEAR_AFTER})"
    rf"|\b(?P<month_day>{_MONTH} *-?(?:the )?{_DAY}(?![\d:]){_YEAR_AFTER})"
    r"|(?<![\w./-])(?P<numeric>(\d{1,2})(?P<sign>[/.-])(\d{1,2})(?P=sign)((?:19|20)\d\d|\d\d))(?![\d/]|[-.]\d)"
    rf"|\b(?P<month_year>{_MONTH},? (?:of )?{_YEAR})\b"
    rf"|(?<![\w.,])(?P<compact>{_YEAR}(0[1-9]|1[0-2])([0-2]\d|3[01]))(?![\w,])"
    r"|(?<![\w:.,$])(?P<clock>(\d{1,2})(?:[:h](\d{2})(?::\d{2}(?:\.\d+)?)?)?"
    r"(?: ?([ap])\.?m\b\.?|(?<=:\d\d)(?: ?z\b)?|(?<=h\d\d)))(?!\w|:\d)"
    r"|\b(?P<named>noon|midnight)\b"
)
_MAY_BE_DATE = re.compile(rf"\d|\b(?:noon|midnight|{_MONTH})")
_RUNS_ON = re.compile(r"(?<=[^\W_])[^\W_]|,? ?\d{5,}|,? ?\d{4}[^\W\d_]{2,}")
"""Behind a date: the digits continue, so they are not its year."""
_NEW_THOUGHT = re.compile(r"[.;\n!?]\s|\band\b|\bbut\b")
_NEAR = 24

Day = tuple[int, int, int]
"""Year, month, and day, 0 for a missing part."""


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date at `text[start:end]`: the `days` it may mean, none for a time alone, and its `clock` (hour, minute)."""

    start: int
    end: int
    days: tuple[Day, ...]
    clock: tuple[int, int] | None = None


def dates(text: str) -> list[DateMention]:
    """Return the dates of a lower-case text in order, each with the time next to it; a time alone has no days."""
    if not _MAY_BE_DATE.search(text):
        return []
    joined: list[DateMention] = []
    for mention in _each(text):
        last = joined[-1] if joined else None
        if last and mention.start - last.end <= _NEAR and not _NEW_THOUGHT.search(text, last.end, mention.start):
            if last.days and not last.clock and not mention.days:
                joined[-1] = replace(last, end=mention.end, clock=mention.clock)
                continue
            if not last.days and mention.days and not mention.clock:
                joined[-1] = replace(mention, start=last.start, clock=last.clock)
                continue
        joined.append(mention)
    return joined


def _each(text: str) -> Iterator[DateMention]:
    for match in _DATE.finditer(text):
        kind = match.lastgroup or ""
        first = _DATE.groupindex[kind]
        mention = _read(match, kind, match.groups()[first:])
        if mention and not _RUNS_ON.match(text, mention.end):
            yield mention


def _read(match: re.Match[str], kind: str, parts: tuple[str | None, ...]) -> DateMention | None:
    start, end = match.span()
    if kind in ("clock", "named"):
        clock = _clock(*parts[:3]) if kind == "clock" else (12 if match[0] == "noon" else 0, 0)
        return DateMention(start, end, (), clock) if clock else None
    time = _clock(parts[3], parts[4], None) if kind == "iso" else None
    if kind == "month_year":
        return DateMention(start, end, ((_number(parts[1]), _month(parts[0]), 0),))
    if kind == "numeric":
        day, _, month, year = parts[:4]
        readings = [(year, month, day), (year, day, month)]
    elif kind == "day_month":
        readings = [(parts[3], parts[2], parts[0] or parts[1])]
    elif kind == "month_day":
        readings = [(parts[3], parts[0], parts[1] or parts[2])]
    else:
        readings = [(parts[0], parts[1], parts[2] or parts[3])]
    days = tuple(dict.fromkeys(found for reading in readings if (found := _checked(*reading))))
    return DateMention(start, end, days, time) if days else None


def _checked(year: str | None, month: str | None, day: str | None) -> Day | None:
    full = _number(year)
    full += 2000 if year and full < 100 else 0
    found = full, _month(month), _number(day)
    try:
        date(full or 2024, *found[1:])
    except ValueError:
        return None
    return found


def _month(text: str | None) -> int:
    return _MONTHS.index(text[:3]) + 1 if text and text[:3] in _MONTHS else _number(text)


def _number(text: str | None) -> int:
    """Return the number of digits, "'25" or an ordinal; 0 for none."""
    word = (text or "0").strip("'").replace(" ", "-")
    return int(word) if word.isdigit() else _ORDINALS.index(word) + 1


def _clock(hour: str | None, minute: str | None, half: str | None) -> tuple[int, int] | None:
    if hour is None:
        return None
    hours, minutes = int(hour), int(minute or 0)
    if half:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if half == "p" else 0)
    return (hours, minutes) if hours < 24 and minutes < 60 else None
