"""Which facts a text holds, and which of its values contradict the world.

An entry holds a fact if it has the subject's name and the value, in any form of the number or date. Words for the
attribute are not needed. Measured on simulated stores, matching by sentence instead of by entry loses a tenth of the
facts of verbatim turns and gains no precision. Lines that begin with different subjects are read apart, and entries of
more than `MOST_TOKENS` in parts, so that one entry with all names and all values holds little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from assay.memory_eval.holding.closing import is_closed
from assay.memory_eval.holding.contradicting import Claims
from assay.memory_eval.holding.lexing import Lexed, Mention, lexed
from assay.memory_eval.holding.sections import sections
from assay.memory_eval.holding.subjects import Found, Subjects
from assay.memory_eval.holding.told import Planted, Told
from assay.memory_eval.holding.wanted import Span, Wanted, spans_of, wanted

MOST_TOKENS = 300
"""Tokens that are read as one entry; a turn of the dialogue has up to 150."""
MOST_KNOWN = 5_000
"""Texts whose reading is kept; about 5 MB."""


@dataclass(slots=True)
class Held:
    """What one text holds: places of facts in `Told.facts`, and of planted values in `Told.planted`.

    `open_facts` are those whose value is not said to have ended. `contradictions` are (entity, value) that the dialogue
    never states.
    """

    facts: set[int] = field(default_factory=set)
    open_facts: set[int] = field(default_factory=set)
    planted: set[int] = field(default_factory=set)
    contradictions: set[tuple[str, str]] = field(default_factory=set)


class Matcher:
    """Reader of texts against the facts of one world."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self._subjects = Subjects(dict.fromkeys(one.entity for one in told.facts))
        self._of_entity: dict[str, list[tuple[int, Wanted, bool]]] = {}
        changed = set(told.changed)
        for place, one in enumerate(told.facts):
            row = place, wanted(one.attribute, one.value), one.key in changed
            self._of_entity.setdefault(one.entity, []).append(row)
        self._texts = {place for rows in self._of_entity.values() for place, value, _ in rows if value.words}
        self._planted: dict[str, list[tuple[int, Wanted]]] = {}
        for place, plant in enumerate(told.planted):
            self._planted.setdefault(plant.entity, []).append((place, wanted(plant.attribute, plant.value)))
        self._claims = Claims(told, self._read_turns())
        self._known: dict[tuple[str, str | None], Held] = {}

    def held(self, text: str, about: str | None = None) -> Held:
        """Return what a text holds; `about` is the subject that the store records for it. Do not change the result."""
        name = text, about
        if name not in self._known:  # stores repeat entries, and a retriever returns the same ones again
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[name] = self._held(text, about)
        return self._known[name]

    def _held(self, text: str, about: str | None) -> Held:
        if about and about.casefold() not in text.casefold():
            text = f"{about}: {text}"
        found = Held()
        for section in sections(text, self._subjects):
            for part in _parts(section):
                self._read(part, found)
        return found

    def facts_in(self, text: str) -> set[int]:
        """Return the places of the facts that a text holds."""
        return self.held(text).facts

    def _read(self, part: Lexed, found: Held) -> None:
        subjects = self._subjects.of(part)
        for entity in dict.fromkeys(one.entity for one in subjects):
            spans_by_place = {place: list(spans_of(value, part)) for place, value, _ in self._of_entity[entity]}
            longer = [span for place, spans in spans_by_place.items() if place in self._texts for span in spans]
            for place, _, changes in self._of_entity[entity]:
                spans = spans_by_place[place]
                if place in self._texts:
                    spans = [span for span in spans if not any(_is_inside(span, other) for other in longer)]
                if spans:
                    found.facts.add(place)
                    if not changes or not all(is_closed(part.text, span) for span in spans):
                        found.open_facts.add(place)
            for place, value in self._planted.get(entity, ()):
                if any(True for _ in spans_of(value, part)):
                    found.planted.add(place)
        found.contradictions.update(self._claims.contradicting(part, subjects))

    def _read_turns(self) -> Iterator[tuple[Lexed, Sequence[Found], Iterable[Planted]]]:
        for turn in self.told.turns:
            text = lexed(turn.content)
            planted = [one["entity"] for one in turn.facts if one["attribute"] == "planted_value"]
            yield text, self._subjects.of(text), [one for one in self.told.planted if one.entity in planted]


def _is_inside(span: Span, other: Span) -> bool:
    """Return whether a value is part of a longer one, as the team "Research" of the degree "operations research"."""
    return other != span and other[0] <= span[0] and span[1] <= other[1]


def _parts(text: Lexed) -> Iterator[Lexed]:
    size = len(text.tokens)
    if size <= MOST_TOKENS:
        yield text
        return
    for begin in range(0, size, MOST_TOKENS):
        end = min(size, begin + MOST_TOKENS)
        first, last = text.spans[begin][0], text.spans[end - 1][1]
        yield Lexed(
            text.text[first:last],
            text.tokens[begin:end],
            [(low - first, high - first) for low, high in text.spans[begin:end]],
            [
                Mention(one.place - begin, one.start - first, one.end - first, one.keys)
                for one in text.mentions
                if begin <= one.place < end
            ],
        )
