"""Grader for (source, value) pairs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from assay.memory_eval.graders.answer_types.comparing.single_value import A_HEAP, is_a_heap, nothing_claimed
from assay.memory_eval.graders.answer_types.pair_binding import bound_pairs
from assay.memory_eval.graders.gold import aliases_of, is_past, said_of, values_under, wrong_values
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.claims import UNCLAIMED, Polarity, statement_of
from assay.memory_eval.graders.reading.dates.date_claims import PARTLY, WantedDate, date_mentions
from assay.memory_eval.graders.reading.mentions import KnownValues, Mention, apart, each_once
from assay.memory_eval.graders.reading.numbers.number_claims import WantedNumber, number_mentions
from assay.memory_eval.truth import AnswerType, Question

_NUMBER_BEFORE = re.compile(r"\d ?\Z")


def read(question: Question, answer: AnswerText) -> Reading:
    """Read pairs: ((right - wrong) / all) cubed; a wrong source is wrong, a missing one is ignored."""
    pairs = gold_pairs(question)
    gold = set(pairs)
    if not gold:
        return Reading(0.0, "the question's own answer has no pairs", gradable=False)
    sources = _source_mentions(question, answer, gold)
    values = apart(_value_mentions(question, answer), sources)
    places = sorted(
        [*((one, True) for one in sources), *((one, False) for one in values)], key=lambda item: item[0].start
    )
    mentions = [mention for mention, _ in places]
    if is_a_heap(answer, mentions, question.text):
        return A_HEAP
    statement = statement_of(answer.text, mentions)
    if (nothing := nothing_claimed(statement, answer)) is not None:
        return nothing
    claimed = [mention for mention in mentions if mention.value is not None]
    kinds = {mention.start: is_source for mention, is_source in places}
    placed = [
        (mention.start, mention.end, claim, kinds[mention.start])
        for mention, claim in zip(claimed, statement.claims, strict=True)
    ]
    if not is_past(question) and all(claim.polarity is Polarity.past for claim in statement.claims):
        return Reading(0.0, "it gives all as past")
    told: set[tuple[str, str]] = set()
    denied: set[tuple[str, str]] = set()
    for source, value in bound_pairs(answer.text, placed):
        claimed_so = source.polarity not in UNCLAIMED and value.polarity not in UNCLAIMED and not value.alternatives
        (told if claimed_so else denied).add((str(source.value), str(value.value)))
    right, wrong = (told & gold) - denied, told - gold
    right = {pair for pair in right if not any(other[0] == pair[0] for other in wrong)}
    score = max(0.0, (len(right) - len(wrong)) / len(gold)) ** 3
    why = f"it has {len(right)} of {len(gold)} pairs right and {len(wrong)} wrong"
    return Reading(score, why, no_claim=not told | denied, contradicts=bool(wrong or denied) and not right)


def gold_pairs(question: Question) -> list[tuple[str, str]]:
    """Return the gold pairs as texts."""
    held = question.answer.value
    pairs = held if isinstance(held, list | tuple) else []
    return [(said_of(pair[0]), said_of(pair[1])) for pair in pairs if isinstance(pair, list | tuple) and len(pair) == 2]


def _source_mentions(question: Question, answer: AnswerText, gold: set[tuple[str, str]]) -> list[Mention]:
    aliases = aliases_of(question)
    held = question.rubric.get("sources")
    others = [str(name) for name in held] if isinstance(held, Mapping) else values_under(question, "sources")
    found = KnownValues([*(source for source, _ in sorted(gold)), *others], aliases).find(answer.text, answer.cased)
    return [one for one in found if not _is_noun_of(one, found, answer.text)]


def _is_noun_of(mention: Mention, found: list[Mention], text: str) -> bool:
    """Return whether a label only repeats what is counted: "support tickets: 7,399 tickets"."""
    if not _NUMBER_BEFORE.search(text, 0, mention.start):
        return False
    same = (one for one in found if one.value == mention.value and one is not mention)
    return any("\n" not in text[min(one.end, mention.end) : max(one.start, mention.start)] for one in same)


def _value_mentions(question: Question, answer: AnswerText) -> list[Mention]:
    """Return mentions of the gold's value types; the longest wins if two overlap."""
    numbers: dict[str, WantedNumber] = {}
    days: dict[str, WantedDate] = {}
    names: list[str] = []
    for value, kind, unit in typed_values(question):
        day = WantedDate.of(value) if kind in (None, AnswerType.date) else None
        number = WantedNumber.of(value, unit) if not day and kind in (None, AnswerType.number) else None
        if day:
            days[value] = day
        elif number:
            numbers[value] = number
        else:
            names.append(value)
    ignored = values_under(question, "context", "question_values", "must_say")
    found: list[Mention] = []
    if names:
        others = wrong_values(question)
        known = KnownValues([*names, *others], aliases_of(question), values_under(question, "context"))
        found = known.find(answer.text, answer.cased)
    if days:
        dates = [
            Mention(
                one.start, one.end, str(one.value).removesuffix(PARTLY) + (" …" if PARTLY in str(one.value) else "")
            )
            for one in date_mentions(answer.text, days, ignored, question.text)
        ]
        found = [*dates, *apart(found, dates)]
    return [*found, *apart(_figures(question, answer, numbers, ignored), found)]


def _figures(
    question: Question, answer: AnswerText, numbers: Mapping[str, WantedNumber], ignored: list[str]
) -> list[Mention]:
    """Return numbers of all units, wanted units first: a bare port number is not a claim next to a size in MB."""
    read: list[Mention] = []
    for family in dict.fromkeys(number.unit for number in numbers.values()):
        same = {key: number for key, number in numbers.items() if number.unit == family}
        read += number_mentions(answer.text, same, ignored, question.text)
    found = each_once([one for one in read if one.value in numbers])
    return [*found, *each_once(apart([one for one in read if one.value not in numbers], found))]


def typed_values(question: Question) -> list[tuple[str, AnswerType | None, str | None]]:
    """Return each value with its type and unit, given by the rubric per value, or by the answer for all."""
    types: Any = question.rubric.get("member_types")
    found = []
    for place, pair in enumerate(question.answer.value):
        held = types[place] if isinstance(types, list | tuple) and place < len(types) else None
        kind, unit = (held.get("type"), held.get("unit")) if isinstance(held, Mapping) else (None, question.answer.unit)
        if kind is None and isinstance(pair[1], str) and not question.answer.unit and WantedDate.of(pair[1]) is None:
            kind = AnswerType.entity
        found.append((said_of(pair[1]), AnswerType(kind) if kind in set(AnswerType) else None, unit))
    return found
