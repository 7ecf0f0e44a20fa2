"""Dates, numbers and names in a text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

_MONTHS = "January February March April May June July August September October November December".split()
_MONTHS_LOW = tuple(month.lower() for month in _MONTHS if month not in ("March", "May"))
_MONTH = "|".join(f"{month[:3]}(?:{month[3:]})?" if month[3:] else month for month in _MONTHS)
_TIME = r"(?:(?:,| at)? ?\d{1,2}:\d{2}(?::\d{2})?\b)?"
_DATES = (
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{_MONTH})\.?,? (?P<year>\d{{4}})\b{_TIME}"),
    re.compile(rf"\b(?P<month>{_MONTH})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})\b{_TIME}"),
    re.compile(r"\b(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2})?)?\b"),
)
_NUMBER = re.compile(
    r"(?<![\w.,/:-])(?P<money>[$€£] ?)?(?P<digits>[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.\d+)?)"
    r"(?P<unit> ?%| ?[A-Za-zµ]+(?:[-/][a-zA-Z]+)*)?(?![\w]|[.:/-]\d)"
)
_NAME = re.compile(
    r"\b[A-Z][\w'&.-]*\w(?: (?:of|the|de|van|von|&) (?=[A-Z])| [A-Z][\w'&-]*\w| \d+\b)*"
    r"|\b[a-z]{1,30}(?:-[a-z]{1,30}){0,4}-\d+\b"
)
NOT_NAMES = frozenset(
    "a about according after all also among an and answer any apart as at be before besides but by calendar change "
    "count did do does during else every finance for forget from give going had has have he her here his how however "
    "i if in is it its just keep kindly let list money my name never next no not note now of on once one or our out "
    "please put quickly recorded remind say she since so something tell than that the their then there these they "
    "think this those to today two under until was we were what when where which who whom whose why with written yes "
    "you your".split()
)
ASKING = frozenset(
    "what when where which who whom whose how why did do does was were is are has have had you me i tell told know "
    "known give answer list name now currently present moment today exactly please one of the for from it its that "
    "this".split()
)
_SCALES = frozenset("k m bn million billion thousand".split())
_NOT_UNITS = frozenset("and or in on as at for to since from now of by is with was are the a an that until not".split())
_MOST_READ = 5_000


@dataclass(frozen=True, slots=True)
class TextValue:
    """A value in a text: start, end, the text itself, and the parsed value."""

    start: int
    end: int
    text: str
    day: date | None = None
    amount: float | None = None
    unit: str = ""


def says(text: str, value: str) -> bool:
    """Return whether a text contains a value as whole words, ignoring case: "INC-10" is not in "INC-101"."""
    text, value = text.lower(), value.lower()
    start = text.find(value) if value else -1
    while start >= 0:
        end = start + len(value)
        is_whole = not (text[start - 1 : start].isalnum() and value[0].isalnum())
        if is_whole and not (text[end : end + 1].isalnum() and value[-1].isalnum()):
            return True
        start = text.find(value, start + 1)
    return False


def dates_in(text: str) -> list[TextValue]:
    """Return the days in a text, with their time of day if one follows, in order."""
    found: dict[int, TextValue] = {}
    for pattern in _DATES:
        for match in pattern.finditer(text[:_MOST_READ]):
            if day := _day(match):
                found.setdefault(match.start(), TextValue(match.start(), match.end(), match[0], day=day))
    return [found[start] for start in sorted(found)]


def numbers_in(text: str) -> list[TextValue]:
    """Return amounts outside dates, names and addresses; `unit` is "$", "%" or the word after the amount."""
    days = dates_in(text)
    found = []
    for match in _NUMBER.finditer(text[:_MOST_READ]):
        if not any(day.start <= match.start() < day.end for day in days):
            word = (match["unit"] or "").strip()
            is_unit = word.lower() in _SCALES if match["money"] else word.lower() not in _NOT_UNITS
            text = match[0].strip() if is_unit or not word else match[0][: -len(word)].strip()
            unit = (match["money"] or (word if is_unit else "")).strip().lower()
            amount = float(match["digits"].replace(",", ""))
            found.append(TextValue(match.start(), match.start() + len(text), text, amount=amount, unit=unit))
    return found


def names_in(text: str) -> list[TextValue]:
    """Return runs of capitalised words, and names such as web-03, without common words that begin a sentence."""
    days = dates_in(text)
    found = []
    for match in _NAME.finditer(text[:_MOST_READ]):
        start, words = match.start(), match[0].split(" ")
        while words and words[0].lower() in NOT_NAMES:
            start += len(words[0]) + 1
            words = words[1:]
        is_day = any(day.start <= start < day.end for day in days)
        if (
            "".join(words).strip("'s")
            and not is_day
            and not words[0].isdigit()
            and not words[0].lower().startswith(_MONTHS_LOW)
        ):
            name = " ".join(words).removesuffix("'s")
            found.append(TextValue(start, start + len(name), name))
    return found


def _day(match: re.Match[str]) -> date | None:
    month = match["month"]
    number = (
        int(month) if month.isdigit() else next(i for i, name in enumerate(_MONTHS, 1) if name.startswith(month[:3]))
    )
    try:
        return date(int(match["year"]), number, int(match["day"]))
    except ValueError:
        return None
