"""Dates in an answer that could be claims of a wanted date."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from assay.memory_eval.graders.reading.dates.calendar_dates import DateMention, dates
from assay.memory_eval.graders.reading.mentions import Mention
from assay.memory_eval.graders.reading.normalizing import plain_value

PARTLY = " (in part)"
"""Suffix of the key of a date that is right but lacks its year or its time."""

_WHEN_TOLD = re.compile(
    r"\b(?:as of|(?:told|said|mentioned|recorded|updated|noted|learned|shared|heard|announced|confirmed"
    r"|stated)(?: (?:me|this|that|it|about it)){0,2} (?:on|as of)|(?:notes?|records?|message|update|entry"
    r"|conversation|log) (?:of|from|on|dated))\s*$"
)
_RELATIVE = re.compile(
    r"\b(?:before|after|prior to|ahead of|following|preceding|earlier than|later than|sooner than|around|circa"
    r"|(?:near|nearly|almost|towards?|close to|within (?:\w+ )?(?:days?|weeks?|months?) of)|(?:days?|weeks?|months?"
    r"|years?|eve|morrow) (?:of|from|past|since)|not until|(?:days?|weeks?|months?|years?) (?:off|later,?(?: on)?"
    r"|earlier,?(?: on)?))(?: about)?(?: the)? ?$"
)
"""Indicates another day than the one that follows."""
_ANSWERS = re.compile(r"\b(?:it is|it's|it was|answer is|answer:|date is|date was|deadline is|that is|that's)\W*$")


@dataclass(frozen=True, slots=True)
class WantedDate:
    """A gold day, with its time if requested."""

    day: tuple[int, int, int]
    clock: tuple[int, int] | None

    @classmethod
    def of(cls, value: object) -> WantedDate | None:
        """Parse "2025-03-14" or "2025-03-14 09:12"; None for anything else."""
        text = str(value)
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return None
        return cls((moment.year, moment.month, moment.day), (moment.hour, moment.minute) if len(text) > 10 else None)


def date_mentions(
    text: str, wanted: Mapping[str, WantedDate], ignored: Iterable[str], asked: str, others: Iterable[str] = ()
) -> list[Mention]:
    """Return each date as a mention of a wanted one (by its key), of a partly right one, or of another value."""
    ignored = list(ignored)
    unclaimed = _days_of([*ignored, asked]) - _days_of(others)
    held = _days_of(ignored)
    found: list[Mention] = []
    for mention in dates(text):
        if _RELATIVE.search(text[max(0, mention.start - 40) : mention.start]):
            continue
        key = _key(mention, wanted, plain_value(asked), unclaimed)
        if (
            key is None
            and _ANSWERS.search(text[max(0, mention.start - 24) : mention.start])
            and held.issuperset(mention.days)
        ):
            found.append(Mention(mention.start, mention.end, f"“{text[mention.start : mention.end]}”"))
            continue
        if key is None and (not mention.days or unclaimed.issuperset(mention.days) or not mention.days[0][2]):
            continue
        if key is None and _WHEN_TOLD.search(text[max(0, mention.start - 48) : mention.start]):
            continue
        found.append(Mention(mention.start, mention.end, key or f"“{text[mention.start : mention.end]}”"))
    years = {day[0] for mention in dates(text) for day in mention.days if day[0]}
    return _completed(found, {key for key, gold in wanted.items() if years == {gold.day[0]} and not gold.clock})


def _days_of(texts: Iterable[str]) -> set[tuple[int, int, int]]:
    return {day for text in texts for day in _days_in(text)}


@lru_cache(maxsize=16384)
def _days_in(text: str) -> frozenset[tuple[int, int, int]]:
    return frozenset(day for mention in dates(plain_value(text)) for day in mention.days)


def _key(
    mention: DateMention, wanted: Mapping[str, WantedDate], asked: str, known: set[tuple[int, int, int]]
) -> str | None:
    for key, gold in wanted.items():
        if not mention.days:
            if gold.clock and mention.clock == gold.clock:
                return key if gold.day in known else key + PARTLY
            continue
        whole = gold.day in mention.days
        if not whole and (0, *gold.day[1:]) not in mention.days:
            continue
        if gold.clock and mention.clock and mention.clock != gold.clock:
            return None
        named_year = whole or str(gold.day[0]) in asked
        return key if named_year and (mention.clock or not gold.clock) else key + PARTLY
    return None


def _completed(found: list[Mention], dated: set[str]) -> list[Mention]:
    """Merge a partial date with a complete one, or with the only year that the answer names (`dated`)."""
    whole = {mention.value for mention in found} | dated
    return [
        Mention(mention.start, mention.end, str(mention.value).removesuffix(PARTLY))
        if str(mention.value).removesuffix(PARTLY) in whole
        else mention
        for mention in found
    ]
