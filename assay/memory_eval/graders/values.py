"""Typed values compared with the gold, exactly: every other value in them counts against the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.memory_eval.graders.naming import (
    Number,
    aliases_of,
    days_in,
    figures_in,
    is_day,
    looks_like_day,
    number_of,
    says,
    shown,
    values_under,
)
from assay.memory_eval.graders.prose import read_prose
from assay.memory_eval.graders.reading.cues import WITHHELD, abstains
from assay.memory_eval.graders.reading.plain_text import Text, plain_value, words_of
from assay.memory_eval.graders.several import Reading, units_of_members
from assay.memory_eval.truth import AnswerType, Question

_AMOUNTS = ("value", "amount", "number", "quantity")
_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}
_SEPARATOR = re.compile(r"\s*(?:[,;\n(]|\band\b)\s*")
_MOST_WORDS = 12
"""Longest text of one typed number or date; more is prose."""


def read_value(question: Question, value: Any) -> Reading:
    """Compare a typed value with the gold; never raises, whatever the value is."""
    kind = question.answer.type
    if kind is AnswerType.abstain:
        is_right = value is None or (isinstance(value, str) and abstains(value.lower()) and not re.search(r"\d", value))
        return Reading(float(is_right), f"its value is {_shown(value)}")
    if value is None:
        return Reading(0.0, "its value is null: it abstains")
    if isinstance(value, Mapping) and len(value) == 1 and kind not in (AnswerType.pairs, AnswerType.number):
        (value,) = value.values()
    return _READERS[kind](question, value)


def _single(question: Question, value: Any) -> Reading:
    members = list(value) if isinstance(value, list | tuple) else [value]
    members = [one for one in members if not _is_required(question, one)]
    is_right = bool(members) and all(_is_gold(question, one) for one in members)
    return Reading(float(is_right), f"its value is {_shown(value)}")


def _is_gold(question: Question, value: Any) -> bool:
    answer = question.answer
    if answer.type is AnswerType.yes_no:
        held = value if isinstance(value, bool) else _TRUTHS.get(str(value).strip(" .\"'").lower())
        return held is answer.value
    if answer.type is AnswerType.number:
        gold = number_of(question)
        return gold is not None and _is_number(value, gold)
    if answer.type is AnswerType.date:
        return _is_date(value, shown(answer.value))
    if isinstance(value, Mapping | bool):
        return False
    gold_name = shown(answer.value)
    if _is_named(value, gold_name, question):
        return True
    parts = [part for part in _SEPARATOR.split(shown(value)) if part.strip(" .)\"'")]
    parts = [part for part in parts if not _is_required(question, part)]
    return bool(parts) and all(_is_named(part, gold_name, question) for part in parts)


def _is_number(value: Any, gold: Number) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return gold.is_met(value)
    if isinstance(value, Mapping):
        amounts = [value[key] for key in _AMOUNTS if key in value]
        if len(amounts) != 1 or set(value) - {*_AMOUNTS, "unit", "currency"}:
            return False
        value = f"{amounts[0]} {value.get('unit') or value.get('currency') or ''}"
    if not isinstance(value, str) or len(value.split()) > _MOST_WORDS:
        return False
    found = figures_in(plain_value(value), gold.unit)
    return len(found) == 1 and gold.is_named(found[0])


def _is_date(value: Any, gold: str) -> bool:
    if not isinstance(value, str) or len(value.split()) > _MOST_WORDS:
        return False
    found = days_in(plain_value(value))
    return len(found) == 1 and is_day(found[0], gold)


def _is_named(value: Any, gold: str, question: Question) -> bool:
    """Return whether a value is a name of the gold and nothing else."""
    said = words_of(shown(value).strip(" .:;,()[]\"'"))
    names = [gold, *aliases_of(question).get(gold, ())]
    wanted = [words_of(name) for name in names]
    plural = _singular(said)
    return bool(said) and any(one in (said, plural) or _singular(one) == plural for one in wanted if one)


def _singular(words: tuple[str, ...]) -> tuple[str, ...]:
    return (*words[:-1], words[-1].removesuffix("s")) if words else words


def _same(item: Any, gold: Any, unit: str | None, question: Question) -> bool:
    """Return whether an item is a gold member: a number, a day or a name."""
    if isinstance(gold, int | float) and not isinstance(gold, bool):
        return _is_number(item, Number(float(gold), unit))
    if looks_like_day(gold):
        return _is_date(item, gold)
    return not isinstance(item, Mapping | list | bool) and _is_named(item, shown(gold), question)


def _members(question: Question, value: Any) -> list[int | None]:
    """Return which gold member each item is, None for another value; without required words."""
    gold = question.answer.value or []
    if isinstance(value, str) and not any(_same(value, one, question.answer.unit, question) for one in gold):
        value = [part for part in _SEPARATOR.split(value) if part.strip(" .)")]
    items = value if isinstance(value, list | tuple) else [value]
    return [
        next((place for place, one in enumerate(gold) if _same(item, one, question.answer.unit, question)), None)
        for item in items
        if shown(item).strip() and not _is_required(question, item)
    ]


def _set(question: Question, value: Any) -> Reading:
    found, num = _members(question, value), len(question.answer.value or ())
    right, wrong = len({one for one in found if one is not None}), found.count(None)
    score = max(0.0, (right - wrong) / num) ** 3 if num else None
    return Reading(score, f"its value has {right} of {num} and {wrong} that do not belong")


def _ordered(question: Question, value: Any) -> Reading:
    found, num = _members(question, value), len(question.answer.value or ())
    if not num:
        return Reading(None, "the question's own answer has no members")
    if found == list(range(num)):
        return Reading(1.0, "its value has every member in order")
    return Reading(0.0, "its value has other members, or another order")


def _pairs(question: Question, value: Any) -> Reading:
    gold = [(shown(name), one) for name, one in question.answer.value or ()]
    if not gold:
        return Reading(None, "the question's own answer has no pairs")
    units = units_of_members(question)
    untold = question.rubric.get("untold")
    right: set[int] = set()
    wrong = 0
    for name, item in _given_pairs(value):
        place = next((at for at, (one, _) in enumerate(gold) if _is_named(name, one, question)), None)
        if place is None and (item is None or WITHHELD.search(str(item).lower())):
            continue
        if place is None and isinstance(untold, Mapping) and str(name) in untold:
            return Reading(0.0, f"its value has one for {name}")
        if place is None:
            wrong += 1
        elif _same(item, gold[place][1], units[place] or question.answer.unit, question):
            right.add(place)
        else:
            wrong += 1
    score = max(0.0, (len(right) - wrong) / len(gold)) ** 3
    return Reading(score, f"its value has {len(right)} of {len(gold)} pairs right and {wrong} wrong")


def _given_pairs(value: Any) -> Sequence[tuple[Any, Any]]:
    """Return the pairs of a mapping, of a list of pairs, or of a list of objects with one or two fields."""
    if isinstance(value, Mapping):
        return list(value.items())
    pairs: list[tuple[Any, Any]] = []
    for item in value if isinstance(value, list | tuple) else [value]:
        held: Any = item
        if isinstance(item, Mapping):
            held = list(item.values()) if len(item) == 2 else next(iter(item.items()), item)
        pairs.append((held[0], held[1]) if isinstance(held, list | tuple) and len(held) == 2 else (held, held))
    return pairs


def _text(question: Question, value: Any) -> Reading:
    found = read_prose(question, "\n".join(map(str, value if isinstance(value, list | tuple) else [value])))
    return found if found.score is not None or question.answer.value else found._replace(score=0.0)


def _is_required(question: Question, value: Any) -> bool:
    return any(says(Text.of(word), shown(value)) for word in values_under(question, "must_say") if shown(value).strip())


def _shown(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else text[:59] + "…"


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
