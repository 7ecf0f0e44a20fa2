"""The same answer in other words and forms: units, separators, dates, number words, Markdown, lists, tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from assay.memory_eval import AnswerType, Question
from tests.tables import read_yaml

WORDINGS = read_yaml(Path(__file__).parents[1] / "cases" / "memory" / "wordings.yaml")

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen".split()
)
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
_SMALLER = {"ms": ("s", 1000), "minutes": ("hours", 60), "MB": ("GB", 1000), "GB": ("TB", 1000), "m": ("km", 1000)}
_SPELLED = {
    "ms": "milliseconds", "s": "seconds", "minutes": "min", "days": "days", "MB": "megabytes", "GB": "gigabytes",
    "TB": "terabytes", "m": "metres", "kWh": "kilowatt-hours",
}  # fmt: skip


def paraphrases(question: Question) -> list[str]:
    """The gold in every template, and in the few forms that need more than a template."""
    gold = question.expected_answer
    said = {"{gold}": gold, "{question}": question.text}
    return [
        *(_replaced(template, said) for template in (*WORDINGS["claims"], *WORDINGS["asked"])),
        json.dumps({"answer": gold}),
        json.dumps({"answer": gold, "confidence": 0.93}),
        f"```json\n{json.dumps({'answer': gold})}\n```",
    ]


def variants(question: Question) -> list[str]:
    """Other ways to write this question's gold that say exactly the same."""
    gold, kind = question.expected_answer, question.answer.type
    anyhow = [_replaced(template, {"{gold}": gold}) for template in WORDINGS["formats"]]
    cases = [gold.upper() if kind is not AnswerType.pairs else gold, gold.lower()]
    makers = {AnswerType.number: _numbers, AnswerType.date: _dates, AnswerType.pairs: _pairs}
    if kind in makers:
        typed = makers[kind](question)
    elif kind is AnswerType.entity:
        typed = [_replaced(form, {"{gold}": str(question.answer.value)}) for form in WORDINGS["names"]]
    elif kind is AnswerType.yes_no:
        typed = WORDINGS[str(question.answer.value).lower()]
    elif kind in (AnswerType.set, AnswerType.ordered_list):
        typed = _members(question)
    else:
        typed = WORDINGS["abstentions"] if kind is AnswerType.abstain else []
    return list(dict.fromkeys([*cases, *anyhow, *typed]))


def in_words(number: int) -> str:
    """42 -> "forty-two"; up to 999,999."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")
    if number < 1000:
        return f"{_ONES[number // 100]} hundred" + (f" and {in_words(number % 100)}" if number % 100 else "")
    return f"{in_words(number // 1000)} thousand" + (f" {in_words(number % 1000)}" if number % 1000 else "")


def _replaced(template: str, values: Mapping[str, str]) -> str:
    for place, value in values.items():
        template = template.replace(place, value)
    return template


def _numbers(question: Question) -> list[str]:
    value, unit = question.answer.value, question.answer.unit
    found = [str(value)]
    if isinstance(value, int) and abs(value) >= 1000:
        found += [f"{value:,}".replace(",", sign) for sign in (",", " ", "'", "\u202f")]
    if isinstance(value, int) and 0 <= value < 1_000_000:
        found.append(in_words(value))
    if unit == "USD":
        sizes = {size: forms for size, forms in WORDINGS["dollars"].items() if value >= size}
        return found + [form.format(value=value, size=value / max(size, 1)) for size in sizes for form in sizes[size]]
    if unit:
        found += [form.format(value=value, unit=unit) for form in WORDINGS["per_cent" if unit == "%" else "with_unit"]]
    if unit in _SPELLED:
        found.append(f"{value} {_SPELLED[unit]}")
    if unit in _SMALLER:
        larger, factor = _SMALLER[unit]
        found.append(f"{value / factor:.10g} {larger}")
    return found


def _dates(question: Question) -> list[str]:
    text = str(question.answer.value)
    at = datetime.fromisoformat(text)
    month = f"{at:%B}"
    parts: dict[str, Any] = {
        "at": at,
        "day": at.day,
        "th": "th" if 10 < at.day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(at.day % 10, "th"),
        "month": month,
        "short": month[:3],
        "loud": month.upper(),
        "year": at.year,
        "twelve": f"{at:%I:%M} {'PM' if at.hour > 11 else 'AM'}".lstrip("0"),
    }
    days, clocks, moments = (
        [form.format(**parts) for form in WORDINGS[kind]] for kind in ("days", "clocks", "moments")
    )
    if len(text) <= 10:
        return days
    apart = [f"{days[1]} at {clock}" for clock in clocks] + [f"{clock} on {days[2]}" for clock in clocks]
    return [*(f"{one}, {clocks[0]}" for one in days), *apart, *moments]


def _members(question: Question) -> list[str]:
    members = [str(member) for member in question.answer.value]
    is_set = question.answer.type is AnswerType.set
    found = [_joined(form, [(one,) for one in members]) for form in WORDINGS["sets" if is_set else "lists"]]
    counted = [f"There are {in_words(len(members))}: {', '.join(members)}."] if is_set else []
    return [*found, json.dumps(members), *counted]


def _pairs(question: Question) -> list[str]:
    parts = [part.partition(":") for part in question.expected_answer.split(";")]
    pairs = [(source.strip(), value.strip()) for source, colon, value in parts if colon]
    if len(pairs) != len(question.answer.value):
        return []
    return [_joined(form, pairs) for form in WORDINGS["pairs"]]


def _joined(form: Mapping[str, Any], parts: Sequence[tuple[str, ...]]) -> str:
    """Write parts as a form of the table says."""
    turned = parts[::-1] if form.get("turned") else parts
    *texts, last = (form.get("each", "{0}").format(*part, number=number) for number, part in enumerate(turned, start=1))
    said = form.get("last", form["joint"]).join([form["joint"].join(texts), last]) if texts else last
    return str(form.get("whole", "{}")).replace("{}", said)
