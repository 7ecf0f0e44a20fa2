"""Who of the people told about leads, maintains or fixes something: everybody in turn, in a drawn order."""

from __future__ import annotations

from assay.memory_eval.draws import Draws
from assay.memory_eval.world.names import Bag
from assay.memory_eval.world.world import World


class Colleagues:
    """People of the world, so that what one block tells of somebody can be joined with what another tells."""

    _ENOUGH = 4
    """Fewer people than that are joined by strangers: something led by three people in turn needs a choice."""

    def __init__(self, world: World, draws: Draws) -> None:
        people = list(world.people)
        while len(people) < self._ENOUGH:
            people.append(world.new_person())
        self._bag = Bag(draws, tuple(people))

    def next(self) -> str:
        """The next one; everybody has a turn before anybody has a second one."""
        return self._bag.take()
