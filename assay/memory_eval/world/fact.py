"""Facts of the world, and their values in words."""

from __future__ import annotations

from datetime import date
from typing import Any

from assay.memory_eval.truth import AnswerType, Fact
from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.wording import said


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
