"""Clauses of stored entries: each states one thing about one entity from a day on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from assay.memory_eval.adapters.extracting.values import dates_in, says

MOST_CLAUSES = 400
LONGEST_LABEL = 4
_MOST_READ = 5_000
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"“(A-Z0-9])|\n+")
_CLAUSE = re.compile(r";\s+|\s+\|\s+|,? and (?=[a-z])|, (?=[a-z])|,? (?:what is more|on top of that|besides|also),? ")
_HOLDS_FROM = re.compile(
    r"(?:as of|since|from|effective|recorded on|notes? of|dated|starting|until|on|file of)\s+$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A retrieved entry: its place in the order stored, its text, and the day the store gives it, if any."""

    place: int
    text: str
    day: date | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: its words, its sentence, the entry's place, and the day from which it holds."""

    text: str
    sentence: str
    place: int
    day: date | None


def clauses_of(passages: Iterable[Passage], names: tuple[str, ...], least: int | None = None) -> list[Clause]:
    """Return the clauses of sentences with all names, or else with the first; with `least` names if given."""
    found = [clause for passage in passages for clause in _clauses(passage)]
    speaking = [clause for clause in found if _num_named(clause.sentence, names) >= (least or len(names))]
    speaking = speaking or [clause for clause in found if _num_named(clause.sentence, names[:1])]
    return speaking[:MOST_CLAUSES]


def sentences_of(text: str) -> list[str]:
    """Return a text's sentences and lines."""
    return [sentence.strip() for sentence in _SENTENCE.split(text[:_MOST_READ]) if sentence.strip()]


@lru_cache(maxsize=4096)  # the same turns are found for many questions
def _clauses(passage: Passage) -> tuple[Clause, ...]:
    return tuple(_read(passage))


def _read(passage: Passage) -> Iterator[Clause]:
    whole = _valid_from(passage.text) or passage.day
    for sentence in sentences_of(passage.text):
        day = _valid_from(sentence) or whole
        for text in _parts(sentence):
            yield Clause(text, sentence, passage.place, day)


def _parts(sentence: str) -> Iterator[str]:
    """Split at words that join clauses; "location: Ottawa" stays together, a long head and its clause do not."""
    for part in _CLAUSE.split(sentence):
        head, colon, rest = part.partition(": ")
        halves = (head, rest) if colon and len(head.split()) > LONGEST_LABEL else (part,)
        yield from (half.strip(" .,") for half in halves if half.strip(" .,"))


def _valid_from(text: str) -> date | None:
    """Return the day a text holds from ("as of 3 May 2025"); else its only day, if it has one."""
    days = dates_in(text)
    told = [found.day for found in days if _HOLDS_FROM.search(text[max(0, found.start - 14) : found.start])]
    return told[-1] if told else None


def _num_named(text: str, names: tuple[str, ...]) -> int:
    return sum(says(text, name) for name in names)
