"""All that was told, found by entity and attribute: what holds now, what held before, who said it, what to forget."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from assay.memory_eval.truth import Turn

FORGET = "forget_request"
"""Its entity is whose, its value the name of the attribute that is to be forgotten."""


class Told(NamedTuple):
    """A fact and the turn that told it. `day` is the day (ISO) it holds from."""

    entity: str
    attribute: str
    value: Any
    source: str | None
    day: str
    turn: int


class Record:
    """Facts by entity and attribute, in the order in which they hold.

    A fact told again later with the same day corrects the former; a later day changes it. What is the same as before
    is no news. Answers are found when first asked for, and kept.
    """

    def __init__(self, told: Iterable[Told]) -> None:
        self._by_key: dict[tuple[str, str], list[Told]] = {}
        self._by_attribute: dict[str, dict[str, None]] = {}
        self._by_entity: dict[str, dict[str, None]] = {}
        for one in sorted(told, key=lambda one: one.turn):
            self._by_key.setdefault((one.entity, one.attribute), []).append(one)
            self._by_attribute.setdefault(one.attribute, {})[one.entity] = None
            self._by_entity.setdefault(one.entity, {})[one.attribute] = None
        self._by_turn: dict[int, list[Told]] = {}
        self._histories: dict[tuple[str, str], list[Told]] = {}
        self._by_value: dict[str, dict[Any, list[Told]]] = {}
        self._values: dict[str, list[Any]] = {}

    @classmethod
    def of(cls, turns: Iterable[Turn]) -> Record:
        """The facts of some turns."""
        return cls(
            Told(fact["entity"], fact["attribute"], fact["value"], fact["source"], fact["valid_from"], turn.turn_number)
            for turn in turns
            for fact in turn.facts
        )

    def only(self, turns: Iterable[int]) -> Record:
        """What would be known to somebody who heard these turns alone."""
        return Record(one for turn in turns for one in self.told_in(turn))

    def told_in(self, turn: int) -> list[Told]:
        """The facts of one turn."""
        if not self._by_turn:
            for tellings in self._by_key.values():
                for one in tellings:
                    self._by_turn.setdefault(one.turn, []).append(one)
        return self._by_turn.get(turn, [])

    def entities(self, attribute: str) -> list[str]:
        """The entities an attribute was told of, in the order first told."""
        return list(self._by_attribute.get(attribute, ()))

    def attributes(self, entity: str) -> list[str]:
        """What was told of an entity, in the order first told."""
        return list(self._by_entity.get(entity, ()))

    def all_entities(self) -> list[str]:
        """Everything anything was told of, in the order first told."""
        return list(self._by_entity)

    def told(self, entity: str, attribute: str) -> list[Told]:
        """Every telling of one attribute, in the order told."""
        return self._by_key.get((entity, attribute), [])

    def history(self, entity: str, attribute: str) -> list[Told]:
        """The values of one attribute, oldest first, without corrected ones and without repetitions."""
        key = (entity, attribute)
        if key not in self._histories:
            self._histories[key] = _history(self._by_key.get(key, []))
        return self._histories[key]

    def latest(self, entity: str, attribute: str) -> Told | None:
        """What holds last."""
        history = self.history(entity, attribute)
        return history[-1] if history else None

    def all_latest(self, attribute: str) -> list[Told]:
        """What holds last of everything an attribute was told of, in the order the entities were told."""
        return [self.history(entity, attribute)[-1] for entity in self._by_attribute.get(attribute, ())]

    def corrected(self, entity: str, attribute: str) -> list[Told]:
        """What was told and taken back: the same day was later given another value."""
        last = {one.day: one.value for one in self.told(entity, attribute)}
        return [one for one in self.told(entity, attribute) if one.value != last[one.day]]

    def claims(self, entity: str, attribute: str) -> list[Told]:
        """What each source said last, in the order the sources first spoke; facts without a source are no claims."""
        said: dict[str, Told] = {}
        for one in self.told(entity, attribute):
            if one.source is not None:
                said[one.source] = one
        return list(said.values())

    def holding(self, attribute: str, value: Any) -> list[Told]:
        """The facts by which an attribute has a value now, one for each entity, in the order the entities were told."""
        if attribute not in self._by_value:
            self._by_value[attribute] = self._index(attribute)
        return self._by_value[attribute].get(_hashable(value), [])

    def values(self, attribute: str) -> list[Any]:
        """The values an attribute has now anywhere, in the order the entities were told."""
        if attribute not in self._values:
            self.holding(attribute, None)
            self._values[attribute] = [found[0].value for found in self._by_value[attribute].values()]
        return self._values[attribute]

    def forgotten(self, entity: str, attribute: str) -> Told | None:
        """The request to forget one attribute of an entity."""
        return next((one for one in self.told(entity, FORGET) if one.value == attribute), None)

    def _index(self, attribute: str) -> dict[Any, list[Told]]:
        found: dict[Any, list[Told]] = {}
        for one in self.all_latest(attribute):
            found.setdefault(_hashable(one.value), []).append(one)
        return found


def _history(told: list[Told]) -> list[Told]:
    """Of each day what was said of it last, as first said; of equal neighbours the first."""
    if len(told) < 2:
        return told
    by_day: dict[str, Told] = {}
    for one in told:
        if one.day not in by_day or by_day[one.day].value != one.value:
            by_day[one.day] = one
    history: list[Told] = []
    for day in sorted(by_day):
        if not history or history[-1].value != by_day[day].value:
            history.append(by_day[day])
    return history


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
