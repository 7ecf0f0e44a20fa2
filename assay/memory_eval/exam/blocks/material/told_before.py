"""Facts of earlier blocks to refer to: each is used for one purpose only, so that none interferes with another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from assay.memory_eval.truth import Fact
from assay.memory_eval.world.attributes import ATTRIBUTES, stands_beside
from assay.memory_eval.world.world import World
from assay.seeded_random import Draws

Key = tuple[str, str]
"""An entity and one of its attributes."""


def _any(_: Fact) -> bool:
    return True


class ToldBefore:
    """Current facts in a drawn order; taken ones do not come again."""

    def __init__(self, world: World, draws: Draws) -> None:
        self._values: dict[Key, list[Any]] = {}
        self._of_entity: dict[str, dict[str, None]] = {}
        for one in world.told:
            if one["source"] is None and not stands_beside(one["attribute"]):
                self.add(one)
        self._draws = draws
        self._order: dict[str, list[Fact]] = {}
        for key in self._values:
            if (told := world.latest(*key)) is not None:
                self._order.setdefault(ATTRIBUTES[key[1]].kind, []).append(told)
        for order in self._order.values():
            draws.shuffle(order)
        self._taken: set[Key] = set()
        self._looked_at: dict[tuple[str, str], int] = {}
        self._with_a_request: set[str] = set()

    def add(self, told: Fact) -> None:
        """Add a fact of this block."""
        self._values.setdefault((told["entity"], told["attribute"]), []).append(told["value"])
        self._of_entity.setdefault(told["entity"], {})[told["attribute"]] = None

    def values_of(self, told: Fact) -> list[Any]:
        """Return every value this attribute of this entity ever had."""
        return self._values[told["entity"], told["attribute"]]

    def attributes_of(self, entity: str) -> list[str]:
        """Return an entity's attributes, in the order first stated."""
        return list(self._of_entity.get(entity, ()))

    def is_new(self, entity: str, attribute: str) -> bool:
        """Return whether an attribute of an entity was never stated."""
        return (entity, attribute) not in self._values

    def take_one(self, purpose: str, kinds: Sequence[str], fits: Callable[[Fact], bool] = _any) -> Fact | None:
        """Take an unused fact of one of these kinds; None if there is none left for this purpose.

        Each kind is chosen equally often, however many facts it has.
        """
        for kind in self._draws.some(kinds, len(kinds)):
            order = self._order.get(kind, [])
            for place in range(self._looked_at.get((purpose, kind), 0), len(order)):
                self._looked_at[purpose, kind] = place + 1
                told = order[place]
                key = told["entity"], told["attribute"]
                if key not in self._taken and fits(told):
                    self._taken.add(key)
                    return told
        return None

    def take_entity(self, purpose: str, kinds: Sequence[str], fits: Callable[[Fact], bool] = _any) -> Fact | None:
        """Take a matching fact of an entity without a request; the next request uses another entity."""
        found = self.take_one(purpose, kinds, lambda told: told["entity"] not in self._with_a_request and fits(told))
        if found is not None:
            self._with_a_request.add(found["entity"])
        return found
