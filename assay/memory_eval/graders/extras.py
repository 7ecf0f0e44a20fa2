"""Conditions other than the gold: words an answer must say, and values it must not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from assay.memory_eval.graders.gold import aliases_of, values_under
from assay.memory_eval.graders.reading.answer_text import AnswerText
from assay.memory_eval.graders.reading.claims import UNTOLD, statement_of
from assay.memory_eval.graders.reading.dates.calendar_dates import dates
from assay.memory_eval.graders.reading.dates.date_claims import PARTLY, WantedDate, date_mentions
from assay.memory_eval.graders.reading.mentions import KnownValues, Mention
from assay.memory_eval.graders.reading.normalizing import plain_value
from assay.memory_eval.graders.reading.numbers.number_claims import OTHER_UNITS, WantedNumber, number_mentions
from assay.memory_eval.graders.reading.numbers.quantities import Quantity, quantities
from assay.memory_eval.graders.reading.stance.abstentions import WITHHELD
from assay.memory_eval.truth import AnswerType, Question


def missing_word(question: Question, text: AnswerText) -> str | None:
    """Return the first missing word of the rubric's `must_say`, or None."""
    for word in values_under(question, "must_say"):
        if not _is_told(word, _mentions_as_said(question, text, word), text):
            return word
    return None


def word_too_many(question: Question, text: AnswerText) -> str | None:
    """Return another word of the same kind as the required one, as a guess at it; None if there is none."""
    words = values_under(question, "must_say")
    if not words or question.answer.type not in (AnswerType.number, AnswerType.date):
        return None
    others = [other for other in values_under(question, "others") if not any(sign.isdigit() for sign in other)]
    mentions = KnownValues(others, {}).find(text.text, text.cased)
    told = [claim.value for claim in statement_of(text.text, mentions).claims if claim.polarity not in UNTOLD]
    return str(told[0]) if told else None


def poison_told(question: Question, text: AnswerText) -> str | None:
    """Return the first value of the rubric's `poison` that the answer states as current or past, or None."""
    held: Any = question.rubric.get("poison_type")
    kind, unit = (held.get("type"), held.get("unit")) if isinstance(held, Mapping) else (None, None)
    for value in values_under(question, "poison"):
        mentions = _typed_mentions(value, kind, unit, text) or _mentions_as_said(question, text, value)
        if _is_told(value, mentions, text):
            return value
    return None


def untold_value(question: Question, text: AnswerText) -> str | None:
    """Return the first label of the rubric's `untold` that the answer gives a value for, or None."""
    held = question.rubric.get("untold")
    labels = (
        {str(label): [str(name) for name in names] for label, names in held.items()}
        if isinstance(held, Mapping)
        else {}
    )
    known = [source for source in aliases_of(question) if source not in labels]
    for label, names in labels.items():
        for mention in KnownValues([label, *known], {label: names}).find(text.text, text.cased):
            if mention.value != label:
                continue
            line_start = text.text.rfind("\n", 0, mention.start) + 1
            before = re.split(r"[.;,•]|\band\b|\bbut\b", text.text[line_start : mention.start])[-1]
            after = re.split(r"[.;\n]|\band\b|\bbut\b", text.text[mention.end :], maxsplit=1)[0]
            if not WITHHELD.search(f"{before} {after}") and not WITHHELD.search(after):
                return label
    return None


def _is_told(value: str, mentions: list[Mention], text: AnswerText) -> bool:
    claims = statement_of(text.text, mentions).claims
    return any(claim.value == value and claim.polarity not in UNTOLD for claim in claims)


def _typed_mentions(value: str, kind: Any, unit: Any, text: AnswerText) -> list[Mention]:
    day = WantedDate.of(value) if kind in (None, "date") else None
    if day:
        return [
            Mention(one.start, one.end, str(one.value).removesuffix(PARTLY))
            for one in date_mentions(text.text, {value: day}, (), "")
        ]
    number = WantedNumber.of(value, unit) if kind == "number" else None
    return number_mentions(text.text, {value: number}, (), "") if number else []


def _mentions_as_said(question: Question, text: AnswerText, word: str) -> list[Mention]:
    """Return mentions of a word, or of a number or day in any form."""
    said = plain_value(word)
    days, numbers = dates(said), quantities(said)
    money = len(numbers) == 1 and numbers[0].start == 0 and numbers[0].unit is not None and not said[0].isdigit()
    found = [] if money else KnownValues([word], aliases_of(question)).find(text.text, text.cased)
    if found:
        return found
    if len(days) == 1 and days[0].days and days[0].end - days[0].start >= len(said) - 2:
        return [Mention(one.start, one.end, word) for one in dates(text.text) if set(one.days) & set(days[0].days)]
    if len(numbers) == 1 and numbers[0].start == 0:
        wanted = numbers[0].values(None)
        return [
            Mention(one.start, one.end, word)
            for one in quantities(text.text)
            if wanted & one.values(numbers[0].unit) and _same_family(one, numbers[0]) and one.noun not in OTHER_UNITS
        ]
    return []


def _same_family(one: Quantity, other: Quantity) -> bool:
    return one.unit is None or other.unit is None or one.unit.family == other.unit.family
