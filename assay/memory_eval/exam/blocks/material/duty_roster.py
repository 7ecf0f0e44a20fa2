"""Assignment of a job to a few known people, with different shares of the work."""

from __future__ import annotations

from assay.memory_eval.exam.blocks.material.colleagues import colleagues
from assay.memory_eval.world.names import Bag
from assay.memory_eval.world.world import World
from assay.seeded_random import Draws

_MOST_SHARES = 4


def duty_roster(world: World, draws: Draws, num: int) -> Bag:
    """Return people to take in turn, some up to four times as often as others, so that counts are hard to guess."""
    everybody = colleagues(world, draws.apart("colleagues"))
    people = [everybody.take() for _ in range(num)]
    return Bag(draws, tuple(person for person in people for _ in range(draws.between(1, _MOST_SHARES))))
