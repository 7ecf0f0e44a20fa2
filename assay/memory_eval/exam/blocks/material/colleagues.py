"""People who lead, maintain or fix something: all in turn, in a drawn order."""

from __future__ import annotations

from assay.memory_eval.world.names import Bag
from assay.memory_eval.world.world import World
from assay.seeded_random import Draws

_ENOUGH = 4
"""Least number of people; new ones are added below it, so that there is a choice."""


def colleagues(world: World, draws: Draws) -> Bag:
    """Return people of the world, so that facts of different blocks can be joined through them."""
    people = list(world.people)
    while len(people) < _ENOUGH:
        people.append(world.new_person())
    return Bag(draws, tuple(people))
