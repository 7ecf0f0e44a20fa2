"""Values in a text that contradict the world: of a kind its subject has, and never stated of that subject.

Each value belongs to the last subject named before it. Only what a world can judge counts: numbers with a unit of the
subject's attributes, and values that the dialogue states of other subjects or that its vocabulary has. The rest of a
memory is "not judged".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from assay.memory_eval.holding.lexing import Lexed, lexed
from assay.memory_eval.holding.subjects import Found
from assay.memory_eval.holding.told import Planted, Told
from assay.memory_eval.holding.wanted import Wanted, wanted
from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.vocabulary_files import words

_NEARLY = 0.02
"""Relative distance from a stated number below which another one is a rounded form, and not judged."""

Turns = Iterable[tuple[Lexed, Sequence[Found], Iterable[Planted]]]


class Claims:
    """The values that texts may be judged by."""

    def __init__(self, told: Told, turns: Turns) -> None:
        self._attributes: dict[str, set[str]] = {}
        self._keys: dict[str, set[str]] = {}
        self._words: dict[str, dict[tuple[str, ...], set[str]]] = {}
        self._families: dict[str, set[str]] = {}
        self._true: dict[str, set[str]] = {}
        self._numbers: dict[str, list[tuple[str, float]]] = {}
        self._labels = {name: set(lexed(row.label).tokens) | {name} for name, row in ATTRIBUTES.items()}
        for one in told.facts:
            value = wanted(one.attribute, one.value)
            self._attributes.setdefault(one.entity, set()).add(one.attribute)
            self._known(one.attribute, value)
            self._families.setdefault(one.attribute, set()).update(
                key.partition(":")[0]
                for key in value.keys
                if ":" in key and not key.startswith(":") and key[0].isalpha()
            )
            self._true.setdefault(one.entity, set()).update(_names(value))
        for plant in told.planted:
            self._known(plant.attribute, wanted(plant.attribute, plant.value))
        self._vocabulary({one.attribute for one in told.facts})
        self._tell(turns)

    def contradicting(self, text: Lexed, subjects: Sequence[Found]) -> Iterator[tuple[str, str]]:
        """Yield (entity, value) of each value that contradicts the world."""
        if not subjects:
            return
        tokens = set(text.tokens)
        for place, name, attributes in self._values(text):
            owner = _owner(subjects, place)
            mine = self._attributes.get(owner, set()) if owner else set()
            if owner is None or not mine & attributes or name & self._true.get(owner, set()):
                continue
            if not any(self._is_judged(one, name, tokens) for one in mine & attributes):
                continue
            if not self._is_rounded(owner, name):
                yield owner, min(name)

    def _values(self, text: Lexed) -> Iterator[tuple[int, set[str], set[str]]]:
        """Yield (place, names, attributes it may be a value of) of each value that is known somewhere."""
        for one in text.mentions:
            attributes: set[str] = set()
            for key in one.keys:
                attributes |= self._keys.get(key, set())
                family = key.partition(":")[0]
                if family.isalpha():
                    attributes |= {name for name, families in self._families.items() if family in families}
            if attributes:
                yield one.place, set(one.keys), attributes
        for place, row, known in self._rows_in(text):
            yield place, {" ".join(row)}, known

    def _rows_in(self, text: Lexed) -> Iterator[tuple[int, tuple[str, ...], set[str]]]:
        """Yield (place, words, attributes) of each value in words that is known somewhere."""
        for place, token in enumerate(text.tokens):
            for row, known in self._words.get(token, {}).items():
                if tuple(text.tokens[place : place + len(row)]) == row:
                    yield place, row, known

    def _is_judged(self, attribute: str, names: set[str], tokens: set[str]) -> bool:
        """Return whether a value is surely meant: it has a unit, several words, or a word for the attribute near it."""
        if any(":" in name and name[0].isalpha() for name in names) or any(" " in name for name in names):
            return True
        label = self._labels.get(attribute, {attribute})
        return not label.isdisjoint(tokens) or any(name[:1].isdigit() for name in names)

    def _is_rounded(self, owner: str, names: set[str]) -> bool:
        for name in names:
            family, _, digits = name.partition(":")
            if not digits or not _is_number(digits):
                continue
            value = float(digits)
            for other, told in self._numbers.get(owner, ()):
                if other in (family, "") and abs(told - value) <= _NEARLY * abs(told):
                    return True
        return False

    def _known(self, attribute: str, value: Wanted) -> None:
        for key in value.keys:
            self._keys.setdefault(key, set()).add(attribute)
        if value.words:
            self._words.setdefault(value.words[0], {}).setdefault(value.words, set()).add(attribute)

    def _vocabulary(self, attributes: set[str]) -> None:
        for name in attributes & set(ATTRIBUTES):
            domain = ATTRIBUTES[name].domain
            try:
                values = words(domain) if domain else ()
            except ValueError:  # names of people and companies have no list
                continue
            for value in values:
                self._known(name, wanted(name, value))

    def _tell(self, turns: Turns) -> None:
        """Note the values that occur in a turn with a subject as stated of it, except those planted there."""
        for text, subjects, planted in turns:
            names = {key for one in text.mentions for key in one.keys}
            names |= {" ".join(row) for _, row, _ in self._rows_in(text)}
            false = {name for one in planted for name in _names(wanted(one.attribute, one.value))}
            for entity in {one.entity for one in subjects}:
                self._true.setdefault(entity, set()).update(names - false)
        for entity, told in self._true.items():
            parts = [(name.partition(":")[0], name.partition(":")[2]) for name in told if ":" in name]
            self._numbers[entity] = [(family, float(digits)) for family, digits in parts if _is_number(digits)]


def _owner(subjects: Sequence[Found], place: int) -> str | None:
    """Return the last subject before a place; None if the place is part of a subject with none before it."""
    owner = None
    for one in subjects:
        if one.begin <= place < one.end:
            break
        if one.begin > place:
            return owner or one.entity
        owner = one.entity
    return owner


def _names(value: Wanted) -> set[str]:
    return set(value.keys) | ({" ".join(value.words)} if value.words else set())


def _is_number(digits: str) -> bool:
    try:
        float(digits)
    except ValueError:
        return False
    return True
