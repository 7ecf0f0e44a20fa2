"""Grader for (source, value) pairs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.memory_eval.graders.answer_types.comparing.single_value import A_HEAP, is_a_heap, nothing_claimed
from assay.memory_eval.graders.answer_types.comparing.strangers import num_strangers
from assay.memory_eval.graders.answer_types.pair_binding import Placed, bound_pairs
from assay.memory_eval.graders.gold import aliases_of, is_past, said_of, values_under, wrong_values
from assay.memory_eval.graders.grader import Reading
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.claims import UNCLAIMED, Polarity, statement_of
from assay.memory_eval.graders.reading.dates.date_claims import PARTLY, WantedDate, date_mentions
from assay.memory_eval.graders.reading.mentions import KnownValues, Mention, apart, each_once
from assay.memory_eval.graders.reading.numbers.number_claims import WantedNumber, number_mentions
from assay.memory_eval.truth import AnswerType, Question

_PLAIN_WORD = re.compile(r"[^\W\d_]{2,}")
_LITTLE = frozenset("and or the an of in at on".split())
_SENTENCE_WORDS = 2
"""Least words other than values and labels that make a sentence of a list."""
_NOT_GIVEN = re.compile(r": ?(?:unknown|not (?:known|given|recorded|stated)|n/a|none)\b")
_NEXT_TO = re.compile(r"[ :=|()\u2013\u2014-]*\Z")


def read(question: Question, answer: AnswerText) -> Reading:
    """Read pairs: ((right - wrong) / all) cubed; a wrong source is wrong, a missing one is ignored."""
    pairs = gold_pairs(question)
    gold = set(pairs)
    if not gold:
        return Reading(0.0, "the question's own answer has no pairs", gradable=False)
    sources = _source_mentions(question, answer, gold)
    values = _value_mentions(question, answer)
    nouns = _nouns(answer.text, values, sources)
    sources = [one for one in sources if not any(one is noun for noun in nouns.values())]
    named = {one.value for one in sources}
    alone = {start: noun for start, noun in nouns.items() if noun.value not in named}
    values = apart(values, sources)
    places = sorted(
        [*((one, True) for one in sources), *((one, False) for one in values)], key=lambda item: item[0].start
    )
    mentions = [mention for mention, _ in places]
    if is_a_heap(answer, mentions, question.text):
        return A_HEAP
    statement = statement_of(answer.text, mentions)
    known = replace(answer, text=_NOT_GIVEN.sub(":", answer.text))
    if (nothing := nothing_claimed(statement, known)) is not None:
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
    counted = [(replace(one[2], value=alone[one[0]].value), one[2]) for one in placed if one[0] in alone and not one[3]]
    loose = [one for one in placed if one[3] or one[0] not in alone]
    for source, value in (*counted, *bound_pairs(answer.text, loose)):
        claimed_so = source.polarity not in UNCLAIMED and value.polarity not in UNCLAIMED and not value.alternatives
        (told if claimed_so else denied).add((str(source.value), str(value.value)))
    told |= _told_without_label(answer.text, placed, gold, {source for source, _ in told | denied})
    right, wrong = (told & gold) - denied, told - gold
    right = {pair for pair in right if not any(other[0] == pair[0] for other in wrong)}
    num_wrong = len(wrong) + num_strangers(answer, mentions, question.text)
    score = max(0.0, (len(right) - num_wrong) / len(gold)) ** 3
    why = f"it has {len(right)} of {len(gold)} pairs right and {num_wrong} wrong"
    return Reading(score, why, no_claim=not told | denied, contradicts=bool(wrong or denied) and not right)


def _told_without_label(
    text: str, placed: list[Placed], gold: set[tuple[str, str]], named: set[str]
) -> set[tuple[str, str]]:
    """Return the gold pairs whose value a sentence has without its label: "She keeps a ferret".

    Only labels can be left out, which are attributes of one thing; a value does not say who said it.
    """
    outside = list(text)
    for start, end, _, _ in placed:
        outside[start:end] = "," * (end - start)
    if len(set(_PLAIN_WORD.findall("".join(outside))) - _LITTLE) < _SENTENCE_WORDS:
        return set()
    claimed = {
        str(claim.value)
        for _, _, claim, is_source in placed
        if not (is_source or claim.alternatives) and claim.polarity not in UNCLAIMED
    }
    values = [value for _, value in gold]
    if any(label != label.lower() for label, _ in gold):
        return set()
    return {
        (label, value) for label, value in gold if label not in named and value in claimed and values.count(value) == 1
    }


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
    follows = {one.start for one in found}
    return [one for one in found if not (answer.text[one.end : one.end + 1] == " " and one.end + 1 in follows)]


def _nouns(text: str, values: list[Mention], sources: list[Mention]) -> dict[int, Mention]:
    """Return the label behind each number that it counts, by the number's start: "7,399 support tickets".

    Behind another label it is none: "extension 6117 hobby".
    """
    found = {}
    for value in values:
        behind = (one for one in sources if one.start > value.start and text[value.end : one.start] in ("", " "))
        noun = next(behind, None)
        before = [one for one in sources if one.end <= value.start and _NEXT_TO.match(text, one.end, value.start)]
        if noun and text[value.start].isdigit() and all(one.value == noun.value for one in before):
            found[value.start] = noun
    return found


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
