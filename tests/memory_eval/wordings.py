"""The same answer in other words and forms: units, separators, dates, number words, Markdown, lists, tables."""

from __future__ import annotations

import json
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
    "ms": "milliseconds",
    "s": "seconds",
    "minutes": "min",
    "days": "days",
    "MB": "megabytes",
    "GB": "gigabytes",
    "TB": "terabytes",
    "m": "metres",
    "kWh": "kilowatt-hours",
}


def paraphrases(question: Question) -> list[str]:
    """The gold in every template, and in the few forms that need more than a template."""
    gold = question.expected_answer
    plain = [template.replace("{gold}", gold) for template in WORDINGS["claims"]]
    return [
        *plain,
        json.dumps({"answer": gold}),
        json.dumps({"answer": gold, "confidence": 0.93}),
        f"```json\n{json.dumps({'answer': gold})}\n```",
        f"{question.text} {gold}",
        f"{question.text}\n\n{gold}",
        f"Q: {question.text}\nA: {gold}",
        f'You asked: "{question.text}" The answer is {gold}.',
        f"<answer>{gold}</answer>",
    ]


def variants(question: Question) -> list[str]:
    """Other ways to write this question's gold that say exactly the same."""
    gold = question.expected_answer
    anyhow = [
        gold.upper() if question.answer.type is not AnswerType.pairs else gold,
        gold.lower(),
        f"**{gold}**",
        f"`{gold}`",
        f"  {gold}  \n",
        f"\u200b{gold}",
        f"{gold}!",
        f"<b>{gold}</b>",
        f"# {gold}",
        f"* {gold}",
    ]
    return list(dict.fromkeys([*anyhow, *_BY_TYPE.get(question.answer.type, _none)(question)]))


def in_words(number: int) -> str:
    """42 -> "forty-two"; up to 999,999."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")
    if number < 1000:
        return f"{_ONES[number // 100]} hundred" + (f" and {in_words(number % 100)}" if number % 100 else "")
    return f"{in_words(number // 1000)} thousand" + (f" {in_words(number % 1000)}" if number % 1000 else "")


def _none(question: Question) -> list[str]:
    return []


def _numbers(question: Question) -> list[str]:
    value, unit = question.answer.value, question.answer.unit
    whole = isinstance(value, int)
    found = [str(value)]
    if whole and abs(value) >= 1000:
        found += [
            f"{value:,}",
            f"{value:,}".replace(",", " "),
            f"{value:,}".replace(",", "'"),
            f"{value:,}".replace(",", "\u202f"),
        ]
    if whole and 0 <= value < 1_000_000:
        found.append(in_words(value))
    if unit == "USD":
        found += _dollars(value)
    elif unit == "%":
        found += [f"{value}%", f"{value} %", f"{value} percent", f"{value} per cent"]
    elif unit:
        found += [f"{value} {unit}", f"{value:,} {unit}", f"{value}\u00a0{unit}"]
        if unit in _SPELLED:
            found.append(f"{value} {_SPELLED[unit]}")
        if unit in _SMALLER:
            larger, factor = _SMALLER[unit]
            found.append(f"{value / factor:.10g} {larger}")
    return found


def _dollars(value: Any) -> list[str]:
    found = [
        f"${value:,}",
        f"$ {value:,}",
        f"US${value:,}",
        f"USD {value:,}",
        f"{value:,} USD",
        f"{value:,} dollars",
        f"{value} dollars",
    ]
    if value >= 1000:
        found += [f"${value / 1e3:.10g}k", f"${value / 1e3:.10g} thousand"]
    if value >= 1_000_000:
        found += [
            f"${value / 1e6:.10g}M",
            f"${value / 1e6:.10g} million",
            f"{value / 1e6:.10g} million dollars",
            f"${value / 1e6:.10g}m",
            f"${value / 1e6:.10g}mn",
        ]
    return found


def _dates(question: Question) -> list[str]:
    text = str(question.answer.value)
    moment = datetime.fromisoformat(text)
    day, month, year = moment.day, moment.strftime("%B"), moment.year
    ending = "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    days = [
        f"{moment:%Y-%m-%d}",
        f"{day} {month} {year}",
        f"{month} {day}, {year}",
        f"{month} {day} {year}",
        f"{day}{ending} {month} {year}",
        f"{day}{ending} of {month}, {year}",
        f"the {day}{ending} of {month} {year}",
        f"{month} {day}{ending}, {year}",
        f"{day} {month[:3]} {year}",
        f"{month[:3]} {day}, {year}",
        f"{month[:3]}. {day}, {year}",
        f"{day}-{month[:3]}-{year}",
        f"{moment:%d/%m/%Y}",
        f"{moment:%m/%d/%Y}",
        f"{moment:%d.%m.%Y}",
        f"{moment:%Y/%m/%d}",
        f"{moment:%A}, {day} {month} {year}",
        f"{moment:%A}, {month} {day}{ending}, {year}",
        f"{month.upper()} {day}, {year}",
    ]
    if len(text) <= 10:
        return days
    clocks = [
        f"{moment:%H:%M}",
        f"{moment:%H:%M} UTC",
        f"{moment:%I:%M} {'PM' if moment.hour > 11 else 'AM'}".lstrip("0"),
        f"{moment:%H:%M}:00",
    ]
    joined = [f"{one}, {clocks[0]}" for one in days]
    return [
        *joined,
        *(f"{days[1]} at {clock}" for clock in clocks),
        *(f"{clock} on {days[2]}" for clock in clocks),
        f"{moment:%Y-%m-%dT%H:%M}",
        f"{moment:%Y-%m-%dT%H:%M:%S}Z",
        f"{moment:%Y-%m-%d %H:%M}",
    ]


def _names(question: Question) -> list[str]:
    value = str(question.answer.value)
    return [value, f"the {value}", f"{value}.", f"({value})", f"“{value}”"]


def _sets(question: Question) -> list[str]:
    members = [str(member) for member in question.answer.value]
    turned = members[::-1]
    return [
        ", ".join(members),
        ", ".join(turned),
        ", ".join(members[:-1]) + f" and {members[-1]}",
        ", ".join(members[:-1]) + f", and {members[-1]}",
        "; ".join(members),
        "\n".join(members),
        "\n".join(f"- {member}" for member in turned),
        "\n".join(f"* **{member}**" for member in members),
        "\n".join(f"{number}. {member}" for number, member in enumerate(members, start=1)),
        " & ".join(members),
        "| name |\n|---|\n" + "\n".join(f"| {member} |" for member in members),
        "Here they are:\n\n" + "\n".join(f"- {member}" for member in members) + "\n\nThat's all of them.",
        json.dumps(members),
        f"There are {in_words(len(members))}: {', '.join(members)}.",
        " and ".join(members),
    ]


def _lists(question: Question) -> list[str]:
    members = [str(member) for member in question.answer.value]
    return [
        ", ".join(members),
        " → ".join(members),
        " -> ".join(members),
        " > ".join(members),
        "\n".join(f"{number}. {member}" for number, member in enumerate(members, start=1)),
        "\n".join(f"{number}) {member}" for number, member in enumerate(members, start=1)),
        "First " + ", then ".join(members) + ".",
        "; ".join(members),
        ", ".join(members[:-1]) + f", and finally {members[-1]}",
        "\n".join(f"- {member}" for member in members),
        json.dumps(members),
    ]


def _pairs(question: Question) -> list[str]:
    parts = [part.strip() for part in question.expected_answer.split(";")]
    pairs = [tuple(piece.strip() for piece in part.split(":", 1)) for part in parts if ":" in part]
    if len(pairs) != len(question.answer.value):
        return []
    return [
        "; ".join(f"{source}: {value}" for source, value in pairs),
        "; ".join(f"{source}: {value}" for source, value in reversed(pairs)),
        "\n".join(f"- {source}: {value}" for source, value in pairs),
        "\n".join(f"* **{source}**: {value}" for source, value in pairs),
        "| who | what |\n|---|---|\n" + "\n".join(f"| {source} | {value} |" for source, value in pairs),
        "| what | who |\n|---|---|\n" + "\n".join(f"| {value} | {source} |" for source, value in pairs),
        " ".join(f"{source} says {value}." for source, value in pairs),
        ", ".join(f"{value} according to {source}" for source, value in pairs),
        " while ".join(f"{source} reported {value}" for source, value in pairs),
        ", and ".join(f"{source} has {value}" for source, value in pairs),
        "; ".join(f"{value} ({source})" for source, value in pairs),
        ", ".join(f"{source} ({value})" for source, value in pairs),
        " ".join(f"According to {source}, it is {value}." for source, value in pairs),
        "\n".join(f"{source} - {value}" for source, value in pairs),
        "\n".join(f"{source} = {value}" for source, value in pairs),
        "{" + ", ".join(f'"{source}": "{value}"' for source, value in pairs) + "}",
    ]


def _yes_no(question: Question) -> list[str]:
    return (
        ["Yes", "yes.", "Yes!", "Yep", "Yes, it is.", "Yes, that's right.", "Yes, you did."]
        if question.answer.value
        else ["No", "no.", "No!", "Nope", "No, it isn't.", "No, it did not.", "No, you didn't."]
    )


def _abstentions(question: Question) -> list[str]:
    return list(WORDINGS["abstentions"])


_BY_TYPE = {
    AnswerType.number: _numbers,
    AnswerType.date: _dates,
    AnswerType.entity: _names,
    AnswerType.set: _sets,
    AnswerType.ordered_list: _lists,
    AnswerType.pairs: _pairs,
    AnswerType.yes_no: _yes_no,
    AnswerType.abstain: _abstentions,
}
