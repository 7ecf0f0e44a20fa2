"""Material of the categories: the turns' facts, and what may be asked about them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from assay.memory_eval.questions.composing.things import in_drawn_order, in_turn, near_twins
from assay.memory_eval.questions.queries.record import FORGET, Record, StatedFact
from assay.memory_eval.truth import AnswerType, Turn
from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.world import Productions
from assay.seeded_random import Draws

ORDERS = {FORGET, "standing_codeword", "standing_also", "planted_value"}
"""Attributes that instruct the agent and state nothing about the world."""

Key = tuple[str, str]
"""An entity and an attribute."""


class Material:
    """The record of a dialogue, and the questions it allows."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.record = Record.of(turns)
        self._turns = turns
        self._tellings: dict[str, Counter[Any]] = {}
        self._other_names: dict[str, list[str]] = {}
        self._contents = "\n".join(turn.content for turn in turns)
        self._stream = hashlib.sha256(self._contents.encode()).hexdigest()
        self.productions = Productions(self.draws("productions"))
        self._continued = {turn.turn_number for turn in turns if turn.continues}

    def draws(self, name: str) -> Draws:
        """Return a random stream that depends on these turns alone."""
        return Draws(f"questions:{self._stream}:{name}")

    @property
    def num_turns(self) -> int:
        """The number of turns."""
        return len(self._turns)

    def whole(self, turns: Iterable[int]) -> tuple[int, ...]:
        """Return turns in order, each with the one before it if a fact of it begins there."""
        found = set(turns)
        return tuple(sorted(found | {turn - 1 for turn in found & self._continued}))

    def tellings(self, attribute: str) -> Counter[Any]:
        """Count the statements of each value of an attribute, the commonest first, the earliest of equals."""
        if attribute not in self._tellings:
            told = (one for entity in self.record.entities(attribute) for one in self.record.told(entity, attribute))
            in_order = sorted(told, key=lambda one: one.turn)
            counted = Counter(one.value for one in in_order if not isinstance(one.value, list))
            self._tellings[attribute] = Counter(dict(counted.most_common()))
        return self._tellings[attribute]

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The kind of each entity."""
        kinds: dict[str, str] = {}
        for entity in self.record.all_entities():
            known = [name for name in self.record.attributes(entity) if name in ATTRIBUTES and name not in ORDERS]
            if known:
                kinds[entity] = ATTRIBUTES[known[0]].kind
        return kinds

    @cached_property
    def _things(self) -> dict[str, list[str]]:
        things: dict[str, list[str]] = {}
        for entity, kind in self.kinds.items():
            things.setdefault(kind, []).append(entity)
        return things

    def things(self, kind: str) -> list[str]:
        """Return all entities of one kind, in the order stated."""
        return self._things.get(kind, [])

    @cached_property
    def twins(self) -> dict[str, list[str]]:
        """Entities with similar names, in both directions."""
        blocks = {fact["entity"]: turn.block for turn in reversed(self._turns) for fact in turn.facts}
        return near_twins({kind: self.things(kind) for kind in ("person", "project")}, blocks)

    @cached_property
    def _words_of_names(self) -> dict[str, int]:
        names: dict[str, int] = {}
        for word in (word for person in self.things("person") for word in person.split()):
            names[word] = names.get(word, 0) + 1
        return names

    def other_names(self, entity: str) -> list[str]:
        """Return other valid names of an entity."""
        if entity not in self._other_names:
            self._other_names[entity] = self._shortened(entity)
        return self._other_names[entity]

    def _shortened(self, entity: str) -> list[str]:
        if self.kinds.get(entity) == "person":
            return [word for word in entity.split() if self._words_of_names[word] == 1 and word != entity]
        short = entity.removeprefix("Project ")
        return [short] if short != entity and short not in self.kinds else []

    def is_mentioned(self, name: str) -> bool:
        """Return whether a name is anywhere in the dialogue, even without a fact."""
        return name in self._contents

    @cached_property
    def _orders(self) -> dict[str, list[StatedFact]]:
        record = self.record
        return {name: [one for who in record.entities(name) for one in record.told(who, name)] for name in ORDERS}

    def orders(self, name: str) -> list[StatedFact]:
        """Return all requests of one kind to the agent."""
        return self._orders[name]

    @cached_property
    def _reserved(self) -> set[Key]:
        forgotten = {(one.entity, str(one.value)) for one in self.orders(FORGET)}
        also = {(one.entity, str(one.value).partition(">")[0]) for one in self.orders("standing_also")}
        return forgotten | also

    @cached_property
    def codewords(self) -> dict[str, str]:
        """The code word of each entity that has one."""
        return {one.entity: str(one.value) for one in self.orders("standing_codeword")}

    @cached_property
    def asked_to_forget(self) -> set[str]:
        """Entities with a forget request."""
        return {one.entity for one in self.orders(FORGET)}

    @cached_property
    def forgotten_values(self) -> set[tuple[str, Any]]:
        """(attribute, value) of forget requests, which all other categories avoid."""
        found = set()
        for one in self.orders(FORGET):
            found |= {(told.attribute, told.value) for told in self.record.told(one.entity, str(one.value))}
        return found

    @cached_property
    def planted(self) -> dict[Key, list[Any]]:
        """False values that untrusted text demands, by entity and attribute."""
        found: dict[Key, list[Any]] = {}
        for one in self.orders("planted_value"):
            attribute, _, value = str(one.value).partition("=")
            found.setdefault((one.entity, attribute), []).append(_typed(attribute, value))
        return found

    def is_free(self, entity: str, attribute: str) -> bool:
        """Return whether an attribute has no request, so that the plain value is the full answer."""
        return (entity, attribute) not in self._reserved and entity not in self.codewords

    def keys(self, attributes: Iterable[str], draws: Draws) -> Iterator[Key]:
        """Yield the allowed keys of these attributes, the attributes in turn, each in drawn order."""
        lines = [self._entities(name, draws) for name in in_drawn_order(list(attributes), draws)]
        return in_turn(lines)

    def _entities(self, attribute: str, draws: Draws) -> Iterator[Key]:
        for entity in in_drawn_order(self.record.entities(attribute), draws):
            if self.is_free(entity, attribute):
                yield entity, attribute


def _typed(attribute: str, text: str) -> Any:
    """Return a value from "attribute=value", with the attribute's type."""
    row = ATTRIBUTES.get(attribute)
    if row is None or row.type is not AnswerType.number:
        return text
    number = float(text)
    return int(number) if number == int(number) else number
