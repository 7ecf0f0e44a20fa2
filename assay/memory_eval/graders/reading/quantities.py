"""Numbers in an answer with their units, in any form: "$2.45M", "2,450,000", "two hundred", "1 h 20 min"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.memory_eval.graders.reading.units import COUNT, CURRENCY_SIGNS, SCALES, UNITS, Unit
from assay.memory_eval.graders.reading.word_numbers import word_numbers

_NUMERAL = re.compile(
    r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}"
    r"|\d{1,3}(?:'\d{3})+(?:\.\d+)?|\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?![\d,])"
    r"|\d+\.\d+|\d+,\d+(?!,?\d)|\d+|(?<![\w.])\.\d+)(?:e[+-]?\d{1,2}(?![^\W_]))?"
)
_AFTER = re.compile(r"( ?)(-?)(%|°[cf]?|[$€£¥₹]|[^\W\d_]+)")
_CURRENCY_BEFORE = re.compile(r"(us\$|\$|€|£|¥|₹|\b(?:usd|eur|gbp|jpy|chf|inr))\s?\Z")
_MINUS = re.compile(r"(?:^|[\s(:=~])-\Z|\b(?:minus|negative) \Z")
_IDENTIFIER_BEFORE = re.compile(r"(?:[^\W\d]'?|[^\W\d_][-._/:@]|\d[./:_@]|[^\W_]#)\Z")
_IDENTIFIER_AFTER = re.compile(r"[_@]|[./:][^\W_]|-(?:\d+[-.]|\d*[^\W\d_]*\d)|st\b|nd\b|rd\b|th\b|x\b|[^\W\d_]+\d")
_LABEL_BEFORE = re.compile(
    r"\b(?:turns?|messages?|msgs?|steps?|lines?|pages?|sections?|notes?|entr(?:y|ies)|items?|facts?"
    r"|chapters?|part|question|version|release|quarter|fiscal|block|records?|id|no|nr)\.? ?#? ?\Z|\bq\Z|#\Z"
)
_LABEL_DIGITS = 4
_SCORE_BEFORE = re.compile(r"\b(?:scores?|rank(?:ed)?|similarity|relevance|distance|top|cosine)(?: of)?(?: ?[:=])? ?\Z")
_YEAR_BEFORE = re.compile(
    r"(?:\b(?:in|since|by|of|year|until|early|late|mid|during|fy|for|from|q[1-4]|quarter|january|february"
    r"|march|april|may|june|july|august|september|october|november|december),? |\()\Z"
)
_SURENESS_AFTER = re.compile(
    r" ?(?:%|percent|per cent)?,? ?(?:sure|certain|confiden\w*|chance|probab\w*|likel\w*|out of 10\b|/ ?10+\b)"
)
_LOOKED = re.compile(r"\b(?:i|we)(?:'ve| have)? (?:just )?(?:checked|looked|searched|verified|read it) \Z")
"""A count of searches, not a claimed figure."""
_PARTS_OF_TIME = re.compile(r"^,?(?: and)? ?$")
COUNTED = frozenset(
    "people persons person employees employee staff members member engineers times turns turn changes updates "
    "sources source projects servers items events incidents days teams users logs entries facts values revisions "
    "occasions corrections moves switches adjustments modifications alterations amendments readings statements "
    "reports mentions attempts occurrences hits cases things names answers places units points pieces".split()
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number at `text[start:end]`.

    `readings`: its possible values without the unit; `unit` None without one; `noun` the following word if it is not a
    unit; `small_word`: a small number in words, which often is not a figure.
    """

    start: int
    end: int
    readings: tuple[float, ...]
    unit: Unit | None
    noun: str | None = None
    year: bool = False
    small_word: bool = False

    def values(self, default: Unit | None) -> set[float]:
        """Return its possible values in the smallest unit of the family; `default` is the unit of a bare number."""
        unit = self.unit or default
        factors = unit.factors if unit else (1.0,)
        return {reading * factor for reading in self.readings for factor in factors}


def quantities(text: str, metres: bool = False) -> list[Quantity]:
    """Return numbers in order, without identifiers, labels ("turn 41") and "95% sure"; `metres`: "m" means metres."""
    found = [quantity for match in _NUMERAL.finditer(text) if (quantity := _numeral(text, match, metres))]
    taken = [(quantity.start, quantity.end) for quantity in found]
    for number in word_numbers(text):
        if _LOOKED.search(text[max(0, number.start - 24) : number.start]):
            continue
        if not any(start < number.end and number.start < end for start, end in taken):
            unit, end, noun = _unit_after(text, number.end, metres)
            small = number.num_words == 1 and number.value <= 12
            found.append(Quantity(number.start, end, (number.value,), unit, noun, small_word=small))
    return _with_compound_times(text, sorted(found, key=lambda quantity: quantity.start))


def _numeral(text: str, match: re.Match[str], metres: bool) -> Quantity | None:
    start, end = match.span()
    before, after = text[max(0, start - 24) : start], text[end : end + 24]
    currency = _CURRENCY_BEFORE.search(before)
    bare_before = before[: currency.start()] if currency else before
    label = len(match[0]) <= _LABEL_DIGITS and _LABEL_BEFORE.search(before)
    if not currency and (_IDENTIFIER_BEFORE.search(before) or label or _SCORE_BEFORE.search(before)):
        return None
    if _IDENTIFIER_AFTER.match(after) or _SURENESS_AFTER.match(after):
        return None
    readings = _readings(match[0])
    scale, scaled_end = _scale_after(text, end, metres, bool(currency))
    unit, unit_end, noun = _unit_after(text, scaled_end, metres)
    if currency:
        sign = currency[1]
        unit = UNITS.get(sign) or Unit(CURRENCY_SIGNS[sign], (1.0,))
    if _glued_to_a_word(text, scaled_end, unit_end):
        return None
    minus = _MINUS.search(bare_before)
    year = bool(re.fullmatch(r"(?:19|20)\d\d", match[0]) and scale == 1 and not unit and _YEAR_BEFORE.search(before))
    values = tuple((-reading if minus else reading) * scale for reading in readings)
    return Quantity(start - (len(before) - len(bare_before)), unit_end, values, unit, noun, year)


def _readings(digits: str) -> tuple[float, ...]:
    """Return possible readings: "1,234" is 1234, or 1.234 with a decimal comma."""
    plain = digits.replace(" ", "").replace("'", "")
    commas, dots = plain.count(","), plain.count(".")
    if commas and dots:
        thousands = "," if plain.index(",") < plain.index(".") else "."
        plain = plain.replace(thousands, "").replace(",", ".")
        return (float(plain),)
    sign = "," if commas else "." if dots else ""
    if not sign:
        return (float(plain),)
    if max(commas, dots) > 1:
        return (float(plain.replace(sign, "")),)
    decimal = float(plain.replace(",", "."))
    grouped = float(plain.replace(sign, "")) if re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", plain) else decimal
    return (grouped, decimal) if sign == "," else (decimal, grouped)


def _scale_after(text: str, end: int, metres: bool, money: bool) -> tuple[float, int]:
    after = _AFTER.match(text, end)
    if not after or after[3] not in SCALES or (after[2] and len(after[3]) < 3):
        return 1.0, end
    word = after[3]
    if word in ("m", "mm", "b", "t") and not money and (metres or (after[1] and word != "m")):
        return 1.0, end
    return SCALES[word], after.end()


def _unit_after(text: str, end: int, metres: bool) -> tuple[Unit | None, int, str | None]:
    after = _AFTER.match(text, end)
    if not after:
        return None, end, None
    word = after[3]
    two_words = re.match(
        r" ?(per cent|percentage points?|us dollars?|kilowatt[ -]hours?|megawatt[ -]hours?)\b", text[end : end + 24]
    )
    if two_words:
        return UNITS[two_words[1].replace("-", " ")], end + two_words.end(), None
    if word in CURRENCY_SIGNS:
        return Unit(CURRENCY_SIGNS[word], (1.0,)), after.end(), None
    if word == "m" and not metres:
        return None, end, None
    unit = UNITS.get(word)
    if unit and not (word == "us" and after[1]):
        return unit, after.end(), None
    return (Unit(COUNT, (1.0,)) if word in COUNTED else None), end, word


def _glued_to_a_word(text: str, number_end: int, unit_end: int) -> bool:
    return unit_end == number_end and text[number_end : number_end + 1].isalpha()


def _with_compound_times(text: str, found: list[Quantity]) -> list[Quantity]:
    """Join compound times such as "1 hour and 20 minutes"."""
    joined: list[Quantity] = []
    for quantity in found:
        last = joined[-1] if joined else None
        if last and last.unit and quantity.unit and _continues(last, quantity, text):
            total = last.readings[0] * last.unit.factors[0] + quantity.readings[0] * quantity.unit.factors[0]
            unit = quantity.unit
            joined[-1] = Quantity(last.start, quantity.end, (total / unit.factors[0],), unit)
        else:
            joined.append(quantity)
    return joined


def _continues(last: Quantity, quantity: Quantity, text: str) -> bool:
    if not last.unit or not quantity.unit or last.unit.family != "time" or quantity.unit.family != "time":
        return False
    smaller = last.unit.factors[0] > quantity.unit.factors[0]
    return smaller and _PARTS_OF_TIME.match(text[last.end : quantity.start]) is not None
