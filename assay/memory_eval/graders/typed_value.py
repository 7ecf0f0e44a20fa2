"""Grader for the typed value of an answer: it decides, and every other value in it counts against the answer.

A single text in a typed value must be the gold and nothing else. Numbers and dates in texts are read as in prose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.memory_eval.graders.answer_types import date, number, ordered_list, text
from assay.memory_eval.graders.answer_types.comparing.members import gold_members
from assay.memory_eval.graders.answer_types.pairs import gold_pairs, typed_values
from assay.memory_eval.graders.gold import aliases_of, said_of, values_under
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.dates.date_claims import WantedDate, date_mentions
from assay.memory_eval.graders.reading.mentions import KnownValues
from assay.memory_eval.graders.reading.numbers.number_claims import WantedNumber
from assay.memory_eval.graders.reading.numbers.quantities import quantities
from assay.memory_eval.graders.reading.stance.abstentions import WITHHELD, plainly_abstains
from assay.memory_eval.truth import MOST_NUMBER, AnswerType, Question

_AMOUNTS = ("value", "amount", "number", "quantity")
_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}
_SEPARATOR = re.compile(r"\s*(?:[,;\n]|\band\b)\s*")
_DRESS = " \t\n\"'.:;,()[]"
_MOST_WORDS = 12
"""Longest text of one typed number or date; more is prose."""

NULL = Reading(0.0, "its value is null: it abstains")


def read_value(question: Question, value: Any) -> Reading:
    """Compare a typed value with the gold; never raises, whatever the value is."""
    kind = question.answer.type
    if kind is AnswerType.abstain:
        abstains = value is None or (isinstance(value, str) and plainly_abstains(value.lower()))
        return (
            Reading(1.0, "its value is null") if abstains else Reading(0.0, f"its value is {_shown(value)}, not null")
        )
    if value is None:
        return NULL
    if isinstance(value, Mapping) and len(value) == 1 and kind not in (AnswerType.pairs, AnswerType.number):
        (value,) = value.values()
    return _READERS[kind](question, value)


def _single(question: Question, value: Any) -> Reading:
    """Read one value; a list may repeat it, or add words the question requires."""
    members = list(value) if isinstance(value, list | tuple) else [value]
    worths = [_worth(question, one) for one in members if not _is_required_word(question, one)]
    if not worths or min(worths) <= 0.0:
        return Reading(0.0, f"its value is {_shown(value)}, not {question.expected_answer}")
    return Reading(min(worths), f"its value is {_shown(value)}")


def _worth(question: Question, value: Any) -> float:
    answer = question.answer
    if answer.type is AnswerType.yes_no:
        held = value if isinstance(value, bool) else _TRUTHS.get(str(value).strip(_DRESS).lower())
        return float(held is answer.value)
    if answer.type is AnswerType.number:
        return _number_worth(question, value)
    if answer.type is AnswerType.date:
        return _as_prose(date.read, question, value)
    if isinstance(value, Mapping | bool):
        return 0.0
    parts = [said_of(value)]
    if not _is(said_of(value), said_of(answer.value), question):
        parts = [part for part in _SEPARATOR.split(said_of(value).replace("(", ",")) if part.strip(_DRESS)]
    parts = [part for part in parts if not _is_required_word(question, part)]
    return float(bool(parts) and all(_is(part, said_of(answer.value), question) for part in parts))


def _number_worth(question: Question, value: Any) -> float:
    wanted = WantedNumber.of(question.answer.value, question.answer.unit, question.rubric.get("tolerance"))
    if wanted is None or isinstance(value, bool):
        return 0.0
    if isinstance(value, int | float):
        is_turned = bool(question.rubric.get("either_sign")) and (value < 0) != (wanted.value < 0)
        return float(_is_within(-value if is_turned else value, wanted))
    return _as_prose(number.read, question, _amount(value))


def _is_within(value: float, wanted: WantedNumber) -> bool:
    """Return whether a number is the wanted one; False for one too large to be compared."""
    return abs(value) < MOST_NUMBER and abs(value - wanted.value) <= wanted.slack


def _amount(value: Any) -> Any:
    """Return {"value": 5, "unit": "km"} as "5 km", an object with other fields as None, and the rest as it is."""
    if not isinstance(value, Mapping):
        return value
    amounts = [value[key] for key in _AMOUNTS if key in value]
    if len(amounts) != 1 or set(value) - {*_AMOUNTS, "unit", "currency"}:
        return None
    return f"{amounts[0]} {value.get('unit') or value.get('currency') or ''}".strip()


def _as_prose(read: Callable[[Question, AnswerText], Reading], question: Question, value: Any) -> float:
    """Read a short text that holds one number or date."""
    if not isinstance(value, str) or len(value.split()) > _MOST_WORDS:
        return 0.0
    return read(question, AnswerText.of(value)).score


def _is(said: str, gold: str, question: Question) -> bool:
    """Return whether a text is a name of the gold and nothing else."""
    held = AnswerText.of(said.strip(_DRESS))
    mentions = KnownValues([gold], aliases_of(question)).find(held.text, held.cased)
    rest = held.text[: mentions[0].start] + held.text[mentions[0].end :] if len(mentions) == 1 else held.text
    return len(mentions) == 1 and rest.strip(_DRESS) in ("", "the", "a", "an", "v", "version")


def _is_required_word(question: Question, value: Any) -> bool:
    return any(_is(str(value), word, question) for word in values_under(question, "must_say"))


def _members(question: Question, value: Any) -> list[str | None]:
    """Return which gold member each item is, None for another value; without empty items and required words."""
    gold = gold_members(question)
    if isinstance(value, str) and not any(_is(value, one, question) for one in gold):
        value = _SEPARATOR.split(value)
    items = value if isinstance(value, list | tuple) else [value]
    unit = question.answer.unit
    return [
        next((one for one in gold if _same(item, one, unit, question, None)), None)
        for item in items
        if str(item).strip(_DRESS) and not _is_required_word(question, item)
    ]


def _same(item: Any, gold: str, unit: str | None, question: Question, kind: AnswerType | None) -> bool:
    """Return whether an item equals a gold value of this type, or of the type it looks like."""
    if kind in (None, AnswerType.number) and (wanted := WantedNumber.of(gold, unit)) is not None:
        if isinstance(item, int | float) and not isinstance(item, bool):
            return _is_within(item, wanted)
        found = quantities(str(_amount(item)).lower(), wanted.metres)
        return len(found) == 1 and wanted.is_met_by(found[0])
    if kind in (None, AnswerType.date) and (day := WantedDate.of(gold)) is not None:
        mentions = date_mentions(AnswerText.of(str(item)).text, {gold: day}, (), "")
        return len(mentions) == 1 and mentions[0].value == gold
    return not isinstance(item, Mapping | list | bool) and _is(said_of(item), gold, question)


def _set(question: Question, value: Any) -> Reading:
    found, gold = _members(question, value), gold_members(question)
    right, wrong = len({one for one in found if one}), found.count(None)
    score = max(0.0, (right - wrong) / len(gold)) ** 3 if gold else 0.0
    return Reading(score, f"its value has {right} of {len(gold)} and {wrong} that do not belong", gradable=bool(gold))


def _ordered(question: Question, value: Any) -> Reading:
    found, gold = _members(question, value), gold_members(question)
    if not gold:
        return Reading(0.0, "the question's own answer has no members", gradable=False)
    return ordered_list.scored(list(found), gold)


def _pairs(question: Question, value: Any) -> Reading:
    gold = gold_pairs(question)
    types = {source: one for (source, _), one in zip(gold, typed_values(question), strict=True)}
    if not gold:
        return Reading(0.0, "the question's own answer has no pairs", gradable=False)
    right: set[str] = set()
    wrong = 0
    for name, item in _given_pairs(value):
        source = next((one for one in types if _is(str(name), one, question)), None)
        if source is None:
            wrong += not (item is None or WITHHELD.search(str(item).lower()))
        elif _same(item, types[source][0], types[source][2], question, types[source][1]):
            right.add(source)
        else:
            wrong += 1
    score = max(0.0, (len(right) - wrong) / len(gold)) ** 3
    return Reading(score, f"its value has {len(right)} of {len(gold)} pairs right and {wrong} wrong")


def _given_pairs(value: Any) -> Sequence[tuple[Any, Any]]:
    """Return the pairs of a mapping, of a list of pairs, or of a list of objects with two fields."""
    if isinstance(value, Mapping):
        return list(value.items())
    pairs: list[tuple[Any, Any]] = []
    for item in value if isinstance(value, list | tuple) else [value]:
        held = list(item.values()) if isinstance(item, Mapping) and len(item) == 2 else item
        if isinstance(item, Mapping) and len(item) == 1:
            held = next(iter(item.items()))
        pairs.append((held[0], held[1]) if isinstance(held, list | tuple) and len(held) == 2 else (held, held))
    return pairs


def _text(question: Question, value: Any) -> Reading:
    lines = value if isinstance(value, list | tuple) else [value]
    return text.read(question, AnswerText.of("\n".join(map(str, lines))))


def _shown(value: Any) -> str:
    shown = " ".join(str(value).split())
    return shown if len(shown) <= 60 else shown[:59] + "…"


_READERS: Mapping[AnswerType, Callable[[Question, Any], Reading]] = {
    AnswerType.number: _single,
    AnswerType.date: _single,
    AnswerType.entity: _single,
    AnswerType.yes_no: _single,
    AnswerType.set: _set,
    AnswerType.ordered_list: _ordered,
    AnswerType.pairs: _pairs,
    AnswerType.text: _text,
}
