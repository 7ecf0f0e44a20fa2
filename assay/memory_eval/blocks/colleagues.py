"""Who of the people told about leads, maintains or fixes something: everybody in turn, in a drawn order."""

from __future__ import annotations

from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.world.names import Bag
from assay.memory_eval.world.world import World

_ENOUGH = 4
"""Fewer people than that are joined by strangers: something led by three people in turn needs a choice."""


def colleagues(world: World, draws: Draws) -> Bag:
    """People of the world, so that what one block tells of somebody can be joined with what another tells."""
    people = list(world.people)
    while len(people) < _ENOUGH:
        people.append(world.new_person())
    return Bag(draws, tuple(people))
