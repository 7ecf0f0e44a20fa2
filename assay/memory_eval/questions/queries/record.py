"""All stated facts by entity and attribute: current values, earlier values, sources, forget requests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from assay.memory_eval.truth import Turn

FORGET = "forget_request"
"""The entity is the owner, the value the name of the attribute to forget."""


class StatedFact(NamedTuple):
    """A fact and the turn that states it. `day` is the day (ISO) it holds from."""

    entity: str
    attribute: str
    value: Any
    source: str | None
    day: str
    turn: int


class Record:
    """Facts by entity and attribute, in the order in which they hold.

    A later statement for the same day corrects the earlier one; one for a later day changes it. Repetitions are
    ignored. Results are computed on first use and kept.
    """

    def __init__(self, told: Iterable[StatedFact]) -> None:
        self._by_key: dict[tuple[str, str], list[StatedFact]] = {}
        self._by_attribute: dict[str, dict[str, None]] = {}
        self._by_entity: dict[str, dict[str, None]] = {}
        for one in sorted(told, key=lambda one: one.turn):
            self._by_key.setdefault((one.entity, one.attribute), []).append(one)
            self._by_attribute.setdefault(one.attribute, {})[one.entity] = None
            self._by_entity.setdefault(one.entity, {})[one.attribute] = None
        self._by_turn: dict[int, list[StatedFact]] = {}
        self._histories: dict[tuple[str, str], list[StatedFact]] = {}
        self._by_value: dict[str, dict[Any, list[StatedFact]]] = {}
        self._values: dict[str, list[Any]] = {}

    @classmethod
    def of(cls, turns: Iterable[Turn]) -> Record:
        """Build a record from the facts of some turns."""
        return cls(
            StatedFact(
                fact["entity"], fact["attribute"], fact["value"], fact["source"], fact["valid_from"], turn.turn_number
            )
            for turn in turns
            for fact in turn.facts
        )

    def only(self, turns: Iterable[int]) -> Record:
        """Return the record of these turns alone."""
        return Record(one for turn in turns for one in self.told_in(turn))

    def told_in(self, turn: int) -> list[StatedFact]:
        """Return the facts of one turn."""
        if not self._by_turn:
            for tellings in self._by_key.values():
                for one in tellings:
                    self._by_turn.setdefault(one.turn, []).append(one)
        return self._by_turn.get(turn, [])

    def entities(self, attribute: str) -> list[str]:
        """Return the entities with an attribute, in the order first stated."""
        return list(self._by_attribute.get(attribute, ()))

    def attributes(self, entity: str) -> list[str]:
        """Return an entity's attributes, in the order first stated."""
        return list(self._by_entity.get(entity, ()))

    def all_entities(self) -> list[str]:
        """Return all entities, in the order first stated."""
        return list(self._by_entity)

    def told(self, entity: str, attribute: str) -> list[StatedFact]:
        """Return every statement of one attribute, in order."""
        return self._by_key.get((entity, attribute), [])

    def history(self, entity: str, attribute: str) -> list[StatedFact]:
        """Return the values of one attribute, oldest first, without corrected ones and without repetitions."""
        key = (entity, attribute)
        if key not in self._histories:
            self._histories[key] = _history(self._by_key.get(key, []))
        return self._histories[key]

    def latest(self, entity: str, attribute: str) -> StatedFact | None:
        """Return the last value."""
        history = self.history(entity, attribute)
        return history[-1] if history else None

    def all_latest(self, attribute: str) -> list[StatedFact]:
        """Return the last value of an attribute for each entity, in the order of the entities."""
        return [self.history(entity, attribute)[-1] for entity in self._by_attribute.get(attribute, ())]

    def corrected(self, entity: str, attribute: str) -> list[StatedFact]:
        """Return corrected statements: the same day was later given another value."""
        last = {one.day: one.value for one in self.told(entity, attribute)}
        return [one for one in self.told(entity, attribute) if one.value != last[one.day]]

    def claims(self, entity: str, attribute: str) -> list[StatedFact]:
        """Return each source's last claim, in the order of first claims; facts without a source are not claims."""
        said: dict[str, StatedFact] = {}
        for one in self.told(entity, attribute):
            if one.source is not None:
                said[one.source] = one
        return list(said.values())

    def holding(self, attribute: str, value: Any) -> list[StatedFact]:
        """Return the facts by which an attribute has a value now, one per entity, in the order of the entities."""
        if attribute not in self._by_value:
            self._by_value[attribute] = self._index(attribute)
        return self._by_value[attribute].get(_hashable(value), [])

    def values(self, attribute: str) -> list[Any]:
        """Return the values an attribute has now for any entity, in the order of the entities."""
        if attribute not in self._values:
            self.holding(attribute, None)
            self._values[attribute] = [found[0].value for found in self._by_value[attribute].values()]
        return self._values[attribute]

    def forgotten(self, entity: str, attribute: str) -> StatedFact | None:
        """Return the request to forget one attribute of an entity."""
        return next((one for one in self.told(entity, FORGET) if one.value == attribute), None)

    def _index(self, attribute: str) -> dict[Any, list[StatedFact]]:
        found: dict[Any, list[StatedFact]] = {}
        for one in self.all_latest(attribute):
            found.setdefault(_hashable(one.value), []).append(one)
        return found


def _history(told: list[StatedFact]) -> list[StatedFact]:
    """Return the last statement for each day, as first stated; of equal neighbours the first."""
    if len(told) < 2:
        return told
    by_day: dict[str, StatedFact] = {}
    for one in told:
        if one.day not in by_day or by_day[one.day].value != one.value:
            by_day[one.day] = one
    history: list[StatedFact] = []
    for day in sorted(by_day):
        if not history or history[-1].value != by_day[day].value:
            history.append(by_day[day])
    return history


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
