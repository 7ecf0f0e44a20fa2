"""Access to a question's rubric; tolerant, since rubrics may be written by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from assay.memory_eval.graders.reading.normalizing import plain_value
from assay.memory_eval.truth import Question

_PERSON = re.compile(r"[A-Z][\w'-]+ [A-Z][\w'-]+")

MAX_VALUES = 400
"""Most values of one rubric key."""


def values_under(question: Question, *keys: str) -> list[str]:
    """Return the values of these rubric keys as texts, in order, without repetitions."""
    found: list[str] = []
    for key in keys:
        held = question.rubric.get(key)
        for value in held if isinstance(held, list | tuple) else [] if held is None else [held]:
            found.extend((value,) if isinstance(value, str) else _texts(value))
    return list(dict.fromkeys(found))[:MAX_VALUES]


def wrong_values(question: Question, *named_under: str) -> list[str]:
    """Return the values that an answer could confuse with the gold, without those under `named_under`."""
    named = {plain_value(value) for value in values_under(question, *named_under)}
    values = values_under(question, "others", "superseded", "poison")
    return [value for value in values if plain_value(value) not in named]


def aliases_of(question: Question) -> dict[str, list[str]]:
    """Return other wordings of each value and source."""
    found: dict[str, list[str]] = {}
    for key in ("aliases", "sources"):
        held = question.rubric.get(key)
        if isinstance(held, Mapping):
            for name, wordings in held.items():
                found.setdefault(str(name), []).extend(_texts(wordings))
    known = values_under(question, "others", "candidates", "question_values", "superseded")
    for person in _people(question.answer.value):
        surname = person.rsplit(" ", 1)[1]
        if sum(surname in name.split() for name in {person, *known}) == 1:
            found.setdefault(person, []).append(surname)
    return found


def _people(value: Any) -> Iterable[str]:
    members = value if isinstance(value, list | tuple) else [value]
    return [one for one in members if isinstance(one, str) and _PERSON.fullmatch(one)]


def is_past(question: Question) -> bool:
    """Return whether the question asks for a past value."""
    return question.rubric.get("tense") == "past"


def said_of(value: Any) -> str:
    """Return a value as a key: 4100.0 and 4100 are equal."""
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, Mapping):
        return [said_of(value["value"])] if "value" in value else []
    if isinstance(value, list | tuple):
        return [said_of(item) for item in value]
    return [said_of(value)]
