"""Numbers in an answer that could be claims of a wanted number."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from assay.memory_eval.graders.reading.dates.calendar_dates import dates
from assay.memory_eval.graders.reading.mentions import Mention
from assay.memory_eval.graders.reading.normalizing import plain_value
from assay.memory_eval.graders.reading.numbers.quantities import COUNTED, Quantity, quantities
from assay.memory_eval.graders.reading.numbers.units import COUNT, MEASURED, Unit, unit_named

_TIME_AFTER = re.compile(r" (?:earlier|later|sooner|apart|long)\b")
_THAN_BEFORE = re.compile(
    r" (?:lower|higher|less|more|fewer|smaller|larger)(?: [^\W\d_]+)? than (?:at first|before|initially|originally)\b"
)
_REST_OF_NOUN = re.compile(r"-[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+")
_VERBS_IN_S = frozenset(
    "is was has does seems appears sounds looks stands comes gets makes fits works matches remains says goes fits "
    "holds counts this its vs plus minus times thus as perhaps always besides afterwards yes applies results follows "
    "equals gives".split()
)
OTHER_UNITS = frozenset("basis yen bitcoin bitcoins ether krona kroner peso rand zloty rouble apiece".split())
_KEPT = frozenset(
    "entries notes records results matches documents memories messages chunks hits snippets passages".split()
)
"""Things a memory searches: "retrieved 3 entries" is not a claim."""
_LITTLE = 40
_PLAIN = Unit(COUNT, (1.0,))


@dataclass(frozen=True, slots=True)
class WantedNumber:
    """A gold number: its unit and tolerance."""

    value: float
    unit: Unit | None
    slack: float
    nouns: frozenset[str] = frozenset()
    either_sign: bool = False

    @classmethod
    def of(cls, value: Any, unit: str | None, tolerance: Any = None) -> WantedNumber | None:
        """Return the gold as a number, None if it is not one."""
        if isinstance(value, bool):
            return None
        try:
            number = float(str(value).replace(",", ""))
        except ValueError:
            return None
        if not math.isfinite(number):
            return None
        held = tolerance if isinstance(tolerance, Mapping) else {}
        slack = max(_number(held.get("abs")), _number(held.get("rel")) * abs(number), 1e-9 * max(1.0, abs(number)))
        return cls(number, unit_named(unit), slack, frozenset(re.findall(r"[^\W\d_]+", (unit or "").lower())))

    @property
    def metres(self) -> bool:
        """Whether "m" next to it means metres."""
        return self.unit is not None and self.unit.family == "length"

    def is_met_by(self, quantity: Quantity) -> bool:
        """Return whether a quantity equals this number, in a unit of the same family."""
        family = self.unit.family if self.unit else COUNT
        if quantity.unit and quantity.unit.family != family:
            return False
        factors = self.unit.factors if self.unit and quantity.unit else (1.0,)
        said = quantity.values(None)
        return any(abs(value - self.value * factor) <= self.slack * factor for factor in factors for value in said)

    def could_be_claimed_by(self, quantity: Quantity) -> bool:
        """Return whether a quantity is of the same kind, so that it is another claim."""
        measured = self.unit is not None and self.unit.family in MEASURED
        if quantity.year and not (self.unit is None and 1800 <= self.value <= 2100):
            return False
        if quantity.unit:
            return quantity.unit.family == (self.unit.family if self.unit else COUNT)
        counts_little = not measured and self.value == int(self.value) and abs(self.value) <= _LITTLE
        if quantity.small_word:
            return counts_little and quantity.readings[0] != 1
        return not (measured and quantity.noun and quantity.noun not in _BARE)


_BARE = frozenset(
    "a an and as at before but by for from if in instead is it now of on or per so than that the then "
    "thereafter this to total until was while which with altogether exactly overall today currently "
    "previously originally each every according i you my was were are has had last when since though "
    "although however maybe perhaps probably".split()
)
"""Words after a number that are not nouns: the number stands alone."""


def number_mentions(
    text: str, wanted: Mapping[str, WantedNumber], ignored: Iterable[str], asked: str, others: Iterable[str] = ()
) -> list[Mention]:
    """Return each number as a mention: of a wanted one (by its key), or of another value.

    Numbers in `ignored` or in the question `asked` are not claims, unless they are wanted or among `others`, such as a
    false premise of the question.
    """
    metres = any(number.metres for number in wanted.values())
    spans = [(day.start, day.end) for day in dates(text) if day.days or day.clock]
    known = _numbers_of(others, metres, wanted)
    unclaimed = _numbers_of([*ignored, asked], metres, wanted) - known
    equals = [place for place, sign in enumerate(text) if sign == "="]
    nouns = COUNTED.union(*(number.nouns for number in wanted.values()))
    asked_words = frozenset(_WORD.findall(asked.lower()))
    uncounted = all(number.unit is None for number in wanted.values())
    read = [_as_count(one, text, asked_words) if uncounted else one for one in quantities(text, metres)]
    named = any(one.noun in nouns and any(_meets(number, one, text) for number in wanted.values()) for one in read)
    found = []
    for quantity in read:
        key = next((key for key, number in wanted.items() if _meets(number, quantity, text)), None)
        in_date = any(start <= quantity.start < end for start, end in spans)
        if in_date and not (key is not None and quantity.end - quantity.start == 4 and quantity.unit is None):
            continue
        if key is None and named and quantity.noun and quantity.noun not in nouns | _BARE:
            continue
        if key is None and (_is_working(text, quantity, equals) or unclaimed & set(map(abs, quantity.values(None)))):
            continue
        if key is None and quantity.noun in _KEPT and quantity.noun not in asked_words:
            continue
        if key is not None and _counts_something_else(quantity, nouns, asked_words):
            continue
        if key is not None:
            found.append(Mention(quantity.start, _end_with_noun(text, quantity, nouns), key))
        elif known.intersection(quantity.readings) or any(one.could_be_claimed_by(quantity) for one in wanted.values()):
            value = f"“{text[quantity.start : quantity.end].strip()}”"
            found.append(Mention(quantity.start, _end_with_noun(text, quantity, nouns), value))
    return found


def _as_count(quantity: Quantity, text: str, asked_words: frozenset[str]) -> Quantity:
    """Return a count if the unit is what the question counts: "3 quarters", asked how many quarters."""
    unit = _WORD.findall(text[quantity.start : quantity.end])[-1:] if quantity.unit else []
    return replace(quantity, unit=None, noun=unit[0]) if unit and unit[0] in asked_words else quantity


def _counts_something_else(quantity: Quantity, nouns: frozenset[str], asked_words: frozenset[str]) -> bool:
    """Return whether an unrelated plural follows the number: "1,841 zebras"."""
    noun = quantity.noun
    if noun is None or noun in nouns or noun in asked_words:
        return False
    if noun in OTHER_UNITS:
        return True
    if any(noun.startswith(known) and len(noun) > len(known) + 2 for known in nouns if len(known) > 3):
        return True
    if noun.rstrip("s") in {word.rstrip("s") for word in asked_words | nouns} or noun in _VERBS_IN_S:
        return False
    return len(noun) > 3 and noun.endswith("s") and not noun.endswith("ss")


def _end_with_noun(text: str, quantity: Quantity, nouns: frozenset[str]) -> int:
    """Extend the number by its noun: "12 people"."""
    if quantity.unit and quantity.unit.family == "%" and (after := _THAN_BEFORE.match(text, quantity.end)):
        return after.end()
    if quantity.unit and quantity.unit.family == "time" and (after := _TIME_AFTER.match(text, quantity.end)):
        return after.end()
    if quantity.noun is None or quantity.noun not in nouns:
        return quantity.end
    place = text.find(quantity.noun, quantity.end)
    if place < 0:  # the noun was read as a unit, and is inside the quantity
        return quantity.end
    end = place + len(quantity.noun)
    rest = _REST_OF_NOUN.match(text, end)
    return rest.end() if rest else end


def _meets(number: WantedNumber, quantity: Quantity, text: str) -> bool:
    if (
        quantity.small_word
        and quantity.readings[0] == 1
        and text[quantity.end : quantity.end + 4] in (" of ", " tha", " i ")
    ):
        return False
    if number.is_met_by(quantity):
        return True
    if number.either_sign:
        opposite = WantedNumber(-number.value, number.unit, number.slack)
        return opposite.is_met_by(quantity)
    return False


def _numbers_of(texts: Iterable[str], metres: bool, wanted: Mapping[str, WantedNumber]) -> set[float]:
    """Return the values, in the smallest unit and as written."""
    unit = next((number.unit for number in wanted.values()), None) or _PLAIN
    found: set[float] = set()
    for text in texts:
        for reading, factors in _numbers_in(text, metres):
            found.add(reading)
            found.update(reading * factor for factor in factors or unit.factors)
    return found


@lru_cache(maxsize=16384)
def _numbers_in(text: str, metres: bool) -> tuple[tuple[float, tuple[float, ...]], ...]:
    """Return each number with its unit's factors, none without a unit."""
    days = [(day.start, day.end) for day in dates(plain_value(text)) if day.days]
    return tuple(
        (one.readings[0], one.unit.factors if one.unit else ())
        for one in quantities(text.lower(), metres)
        if not any(start <= one.start < end for start, end in days)
    )


def _is_working(text: str, quantity: Quantity, equals: list[int]) -> bool:
    """Return whether the number is left of an "=" in its line: an intermediate step."""
    return any(quantity.end <= place and "\n" not in text[quantity.end : place] for place in equals)


def _number(value: Any) -> float:
    try:
        return max(0.0, float(value)) if value is not None and not isinstance(value, bool) else 0.0
    except (TypeError, ValueError):
        return 0.0
