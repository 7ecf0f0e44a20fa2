"""The inventory: servers with their components, and networks with their ranges."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from assay.memory_eval.exam.blocks.block import Block, Draft
from assay.memory_eval.exam.blocks.material.supplies import inside_address
from assay.memory_eval.world.wording import fact
from assay.memory_eval.world.world import World

_NETWORK_EVERY = 5
"""One turn in so many states a network."""
_FEW_TURNS = 20
_IN_ONE_TURN = 45
"""Per cent of servers stated in one turn; the others take two, some turns apart."""


class Infrastructure(Block):
    """Servers and networks; their facts do not change."""

    name = "infrastructure"

    def __init__(self, world: World, num_turns: int) -> None:
        super().__init__(world, num_turns)
        self._sites = self._some("cities", max(3, num_turns // 16))
        self._systems = self._some("operating_systems", max(3, num_turns // 12))
        self._left = sum(1 for place in range(num_turns) if place % _NETWORK_EVERY != 1)
        """Remaining turns for servers."""
        self._begun: list[tuple[str, dict[str, str | float]]] = []
        """Servers whose second half is still to come."""

    def drafts(self) -> list[Draft]:
        """Return turns of three to seven facts each, all of one server or network."""
        return [self._draft(today, place) for place, today in enumerate(self._days)]

    def _some(self, vocabulary: str, num: int) -> list[str]:
        """Return a small sample of sites and systems, so that it is worth asking how many servers share one."""
        words = self._world.vocabulary(vocabulary)
        return self._draws.some(words, min(num, len(words)))

    def _draft(self, today: date, place: int) -> Draft:
        if place % _NETWORK_EVERY == 1:
            return self._told(*self._network(), today)
        self._left -= 1
        if self._begun and (len(self._begun) > self._left or self._draws.chance(40)):
            return self._told(*self._begun.pop(self._draws.below(len(self._begun))), today)
        name, values = self._server()
        has_room = self._num_turns >= _FEW_TURNS and self._left > len(self._begun)
        if has_room and not self._draws.chance(_IN_ONE_TURN):
            later = self._draws.some(list(values), 3)
            self._begun.append((name, {attribute: values.pop(attribute) for attribute in later}))
        return self._told(name, values, today)

    def _server(self) -> tuple[str, dict[str, str | float]]:
        draws, world = self._draws, self._world
        most = max(99, self._num_turns // 20)
        name = world.unique(lambda: f"{world.next_of('server_stems')}-{draws.between(1, most):02}")
        return name, {
            "cpu_cores": draws.between(6, 510, 2),
            "ram": draws.between(24, 6136, 8),
            "storage": (draws.between(11, 978) * 10 + draws.between(1, 9)) / 10,
            "os": draws.one(self._systems),
            "location": draws.one(self._sites),
            "uptime": draws.between(11, 2989),
            "address": inside_address(world, draws),
        }

    def _network(self) -> tuple[str, dict[str, str | float]]:
        draws, world = self._draws, self._world
        name = world.unique(lambda: f"{world.next_of('network_stems')} {world.next_of('network_purposes')}")
        middle = world.unique(lambda: f"172.{draws.between(16, 31)}.{draws.below(256)}")
        return name, {
            "cidr": f"{middle}.0/{draws.between(24, 27)}",
            "vlan": draws.between(103, 4091),
            "gateway": f"{middle}.{draws.between(1, 30)}",
        }

    def _told(self, name: str, values: Mapping[str, str | float], today: date) -> Draft:
        """Return a turn with the values in any order."""
        order = self._draws.some(list(values), len(values))
        return self._stated([fact(name, attribute, values[attribute], today) for attribute in order], today)
