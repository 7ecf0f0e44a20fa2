"""Where a text names a value: a number in any unit, a day in any form, or words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from assay.memory_eval.graders.reading.dates import DateMention, dates
from assay.memory_eval.graders.reading.plain_text import Text, plain_value, words_of
from assay.memory_eval.graders.reading.quantities import Quantity, quantities
from assay.memory_eval.graders.reading.units import COUNT, MEASURED, unit_named
from assay.memory_eval.truth import MOST_NUMBER, Question

Span = tuple[int, int]
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d))?\Z")
_PERSON = re.compile(r"[A-Z][\w'-]+ [A-Z][\w'-]+")
MAX_VALUES = 400
"""Most values of one rubric key."""


class Number(NamedTuple):
    """A number that is looked for, with its unit and how far another one may be off."""

    value: float
    unit: str | None = None
    slack: float = 0.0
    either_sign: bool = False

    def is_met(self, value: float) -> bool:
        """Return whether a number in the same unit is this one."""
        if not abs(value) < MOST_NUMBER:
            return False
        values = (value, -value) if self.either_sign else (value,)
        return any(abs(one - self.value) <= self.slack + 1e-9 * max(1.0, abs(self.value)) for one in values)

    def is_named(self, found: Quantity) -> bool:
        """Return whether a quantity of a text is this number; units of another family are not."""
        mine = unit_named(self.unit)
        if mine is None:
            is_counted = found.unit is None or found.unit.family in (COUNT, "month")
            return is_counted and any(map(self.is_met, found.readings))
        if found.unit and found.unit.family != mine.family and {found.unit.family, mine.family} & MEASURED:
            return False
        return any(self.is_met(value / factor) for value in found.values(mine) for factor in mine.factors)


def number_of(question: Question) -> Number | None:
    """Return the number that is the answer of a question."""
    tolerance = question.rubric.get("tolerance")
    held: Mapping[str, Any] = tolerance if isinstance(tolerance, Mapping) else {}
    value = _float(question.answer.value)
    if value is None:
        return None
    slack = max(_float(held.get("abs")) or 0.0, abs(value) * (_float(held.get("rel")) or 0.0))
    return Number(value, question.answer.unit, slack, bool(question.rubric.get("either_sign")))


def figures_in(text: str, unit: str | None, *, with_years: bool = False) -> list[Quantity]:
    """Return the numbers of a text that are not part of a date; `unit` says whether "m" is metres."""
    days = [(one.start, one.end) for one in _dates(text)]
    return [
        one
        for one in _quantities(text, unit == "m")
        if (with_years or not one.year) and not any(start <= one.start < end for start, end in days)
    ]


@lru_cache(maxsize=1024)
def _dates(text: str) -> tuple[DateMention, ...]:
    return tuple(dates(text))


@lru_cache(maxsize=1024)
def _quantities(text: str, has_metres: bool) -> tuple[Quantity, ...]:
    return tuple(quantities(text, metres=has_metres))


def days_in(text: str) -> list[DateMention]:
    """Return the days of a text; a time alone is none."""
    return [one for one in _dates(text) if one.days]


def is_day(found: DateMention, day: str, said: str = "") -> bool:
    """Return whether a date of a text is this day, with its time if it has one; its year may be said elsewhere."""
    match = _DAY.match(day)
    if match is None:
        return False
    wanted = tuple(int(part) for part in match.groups()[:3])
    clock = (int(match[4]), int(match[5])) if match[4] else None
    same = wanted in found.days or (match[1] in said and (0, *wanted[1:]) in found.days)
    return same and (clock is None or found.clock == clock)


def looks_like_day(value: Any) -> bool:
    """Return whether a value is a day or a moment in ISO form."""
    return isinstance(value, str) and _DAY.match(value) is not None


def spans_of(text: Text, value: Any, unit: str | None = None, others: Iterable[str] = ()) -> list[Span]:
    """Return where a text names a value, or one of its other names."""
    if looks_like_day(value):
        return [(one.start, one.end) for one in days_in(text.text) if is_day(one, str(value), text.text)]
    number = _float(value)
    if number is not None:
        wanted = Number(number, unit)
        return [(one.start, one.end) for one in figures_in(text.text, unit) if wanted.is_named(one)]
    return [span for name in (str(value), *others) for span in _word_spans(text, words_of(name))]


def says(text: Text, word: str) -> bool:
    """Return whether a text has a required word, number or day in any form."""
    if spans_of(text, word):
        return True
    plain = Text.of(word)
    days = [day for one in days_in(plain.text) for day in one.days]
    if days:
        return any(day in one.days for one in days_in(text.text) for day in days)
    wanted = [(reading, one.unit) for one in figures_in(plain.text, None) for reading in one.readings]
    return any(Number(value).is_named(one) for one in figures_in(text.text, None) for value, _ in wanted[:1])


def aliases_of(question: Question) -> dict[str, list[str]]:
    """Return other wordings of each value and source; a person's surname is one if no other value has it."""
    found: dict[str, list[str]] = {}
    for key in ("aliases", "sources"):
        held = question.rubric.get(key)
        for name, wordings in held.items() if isinstance(held, Mapping) else ():
            found.setdefault(str(name), []).extend(map(str, wordings if isinstance(wordings, list | tuple) else ()))
    members = question.answer.value if isinstance(question.answer.value, list) else [question.answer.value]
    people = [one for one in members if isinstance(one, str) and _PERSON.fullmatch(one)]
    known = values_under(question, "others", "candidates", "context", "superseded")
    for person in people:
        surname = person.rsplit(" ", 1)[1]
        if sum(surname in name.split() for name in {person, *known}) == 1:
            found.setdefault(person, []).append(surname)
    return found


def values_under(question: Question, *keys: str) -> list[str]:
    """Return the values of these rubric keys as texts, in order, without repetitions."""
    found: list[str] = []
    for key in keys:
        held = question.rubric.get(key)
        values = held if isinstance(held, list | tuple) else [] if held is None else [held]
        found += [shown(one["value"] if isinstance(one, Mapping) and "value" in one else one) for one in values]
    return list(dict.fromkeys(found))[:MAX_VALUES]


def rivals_of(question: Question) -> list[str]:
    """Return the values that an answer could confuse with the gold."""
    gold = question.answer.value
    own = {plain_value(shown(one)) for one in (gold if isinstance(gold, list) else [gold])}
    free = {plain_value(one) for one in values_under(question, "context", "must_say")}
    return [
        one
        for one in values_under(question, "others", "superseded", "poison")
        if plain_value(one) not in own and plain_value(one) not in free
    ]


def shown(value: Any) -> str:
    """Return a value as a text: 4100.0 and 4100 are equal."""
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


def _word_spans(text: Text, words: tuple[str, ...]) -> Iterator[Span]:
    size = len(words)
    for place in range(len(text.words) - size + 1) if size else ():
        if text.words[place][0] != words[0] and size > 1:
            continue
        found = text.words[place : place + size]
        last = found[-1][0]
        is_same = all(one[0] == word for one, word in zip(found[:-1], words[:-1], strict=True))
        if is_same and last in (words[-1], f"{words[-1]}s", f"{words[-1]}es", words[-1].removesuffix("s")):
            start, end = found[0][1], found[-1][2]
            if not _is_part(text.text, start, end):
                yield start, end


_LONGER_AFTER = re.compile(r"[-_.:@]\w|/\d")
_LONGER_BEFORE = re.compile(r"\w[-_.@]$")


def _is_part(text: str, start: int, end: int) -> bool:
    """Return whether a span is part of a longer word, number or address: "peanut-free", "10.2.3.4.5"."""
    return (
        _LONGER_AFTER.match(text, end) is not None or _LONGER_BEFORE.search(text[max(0, start - 2) : start]) is not None
    )


def _float(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) and abs(found) < MOST_NUMBER else None
