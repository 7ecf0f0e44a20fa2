"""Facts, and their values in words, the same in the dialogue and in expected answers."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from assay.memory_eval.truth import AnswerType, Fact
from assay.memory_eval.world.attributes import ATTRIBUTES

# ------------------ wording

MONTHS = "January February March April May June July August September October November December".split()


def said(value: Any, answer_type: AnswerType, unit: str | None = None) -> str:
    """Return 2450000 USD as "$2,450,000", 4.7 % as "4.7%", 480 ms as "480 ms", "2025-03-14" as "14 March 2025".

    A date with a time keeps its time: "14 March 2025, 09:12". Numbers without a unit (ports, years, extensions) have no
    thousands separator.
    """
    if answer_type is AnswerType.number:
        return _number(value, unit)
    if answer_type is AnswerType.date:
        return _day(str(value))
    if answer_type is AnswerType.yes_no:
        return "Yes" if value else "No"
    return str(value)


def _number(value: Any, unit: str | None) -> str:
    if unit is None:
        return f"{value:g}" if isinstance(value, float) else str(value)
    digits = f"{value:,}"
    if unit == "USD":
        return f"-${digits[1:]}" if value < 0 else f"${digits}"
    return f"{digits}%" if unit == "%" else f"{digits} {unit}"


def _day(text: str) -> str:
    if len(text) > 10:
        moment = datetime.fromisoformat(text)
        return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}, {moment.hour:02}:{moment.minute:02}"
    day = date.fromisoformat(text)
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


# ------------------ fact


def fact(entity: str, attribute: str, value: Any, day: date | str, source: str | None = None) -> Fact:
    """Return a fact that holds from `day`; the attribute must be in the register."""
    if attribute not in ATTRIBUTES:
        raise ValueError(f"unknown attribute {attribute}")
    valid_from = day if isinstance(day, str) else day.isoformat()
    return {"entity": entity, "attribute": attribute, "value": value, "source": source, "valid_from": valid_from}


def in_words(attribute: str, value: Any) -> str:
    """Return the value in words as in turns: ("budget", 2450000) -> "$2,450,000"."""
    row = ATTRIBUTES[attribute]
    return said(value, row.type, row.unit)


def day_in_words(day: date) -> str:
    """Return a day in words: 2025-03-14 -> "14 March 2025"."""
    return said(day.isoformat(), AnswerType.date)


def with_article(noun: str) -> str:
    """Return a noun with its article: an otter, a ferret; initialisms by the sound of their first letter."""
    first = noun.split(maxsplit=1)[0]
    if first.isupper() and len(first) > 1:
        return f"{'an' if first[0] in 'AEFHILMNORSX' else 'a'} {noun}"
    if first.startswith(("UX", "U-", "uni", "use", "eu", "one")):
        return f"a {noun}"
    return f"{'an' if first[0] in 'aeiouAEIOU' else 'a'} {noun}"
