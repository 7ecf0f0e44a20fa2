"""Values of the requested kind in a clause."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.memory_eval.adapters.extracting.asked import Asked, Form
from assay.memory_eval.adapters.extracting.clauses import Clause
from assay.memory_eval.adapters.extracting.retrieval import words_of
from assay.memory_eval.adapters.extracting.values import TextValue, dates_in, names_in, numbers_in

MOST_WORDS = 24

_LEFT_BEHIND = re.compile(
    r"\b(?:from|not|no longer|instead of|than|used to be|succeeds|replaces|used to have) (?:at |by |on )?$"
)
_HOLDS_FROM = re.compile(
    r"(?:as of|since|effective|made on|recorded on|notes of|reset on|agreed on|file of|^on|from) $", re.IGNORECASE
)
_NO_NEWS = frozenset("now about which that these those you told asked heard set".split())
_ASKS_SINCE = re.compile(r"since|become|became|from which|begin to hold|last change|reach", re.IGNORECASE)


def values_of(wanted: Asked, clause: Clause) -> list[str]:
    """Return the clause's values as written, the likeliest first, without those of the question."""
    read = {Form.day: _days, Form.number: _amounts, Form.name: names_of}.get(wanted.form, _words)
    return [text for text in read(wanted, clause) if text]


def names_of(wanted: Asked, clause: Clause) -> list[str]:
    """Return the names in a clause that are not in the question."""
    asked_for = " ".join((*wanted.names, wanted.text)).lower()
    found = [name for name in names_in(clause.text) if not _begins_a_sentence(name, clause)]
    new = [name for name in found if name.text.lower() not in asked_for]
    kept = [name for name in new if not _LEFT_BEHIND.search(clause.text[: name.start])]
    return [name.text for name in kept or new]


def _days(wanted: Asked, clause: Clause) -> list[str]:
    days = [found for found in dates_in(clause.text) if found.text not in wanted.text]
    marks = [found for found in days if _HOLDS_FROM.search(clause.text[: found.start])]
    rest = [found for found in days if found not in marks and not _LEFT_BEHIND.search(clause.text[: found.start])]
    return [found.text for found in ([*marks, *rest] if _ASKS_SINCE.search(wanted.text) else rest)]


def _amounts(wanted: Asked, clause: Clause) -> list[str]:
    text = _without_names(wanted, clause.text)
    numbers = [found for found in numbers_in(text) if found.text not in wanted.text]
    numbers = [found for found in numbers if not _LEFT_BEHIND.search(text[: found.start])]
    if wanted.unit:
        numbers = [found for found in numbers if is_unit(found, wanted.unit)] or [
            found
            for found in numbers
            if wanted.unit not in "$%" and not is_unit(found, "$") and not is_unit(found, "%")
        ]
    return [found.text for found in numbers]


def _words(wanted: Asked, clause: Clause) -> list[str]:
    text = clause.text
    for name in sorted(wanted.names, key=len, reverse=True):
        text = re.sub(rf"^(?:.{{0,40}}?\b)?{re.escape(name)}(?:'s)?\s+", "", text, count=1)
    text_without_days = text
    for day in dates_in(text):
        text_without_days = text_without_days.replace(day.text, "")
    is_news = set(words_of(text_without_days)) - set(words_of(wanted.text)) - _NO_NEWS
    return [" ".join(text.split()[:MOST_WORDS])] if is_news else []


def _without_names(wanted: Asked, text: str) -> str:
    """Blank out the names: the 4 of "Q4 2018" is not an amount."""
    for name in wanted.names:
        text = re.sub(re.escape(name), lambda found: " " * len(found[0]), text, flags=re.IGNORECASE)
    return text


def is_unit(found: TextValue, unit: str) -> bool:
    """Return whether an amount is in a question's unit: "$", "%", or a word in the singular or the plural."""
    if unit in "$%":
        return unit in found.unit
    return found.unit == unit.lower() or (len(unit) > 2 and found.unit.rstrip("s") == unit.lower().rstrip("s"))


def _begins_a_sentence(name: TextValue, clause: Clause) -> bool:
    """Return whether a name is a single capitalised word at the beginning of a sentence: "Money news for …"."""
    return (
        name.start == 0
        and " " not in name.text
        and not any(char.isdigit() for char in name.text)
        and (clause.sentence.startswith(name.text))
    )


def distinct(texts: Sequence[str]) -> list[str]:
    """Return each text once, in order, ignoring case."""
    return list({text.lower(): text for text in reversed(texts)}.values())[::-1]
