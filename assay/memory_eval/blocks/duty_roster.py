"""The few who do a job: some of the people known, each with a share of the work of their own."""

from __future__ import annotations

from assay.memory_eval.blocks.colleagues import colleagues
from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.world.names import Bag
from assay.memory_eval.world.world import World

_MOST_SHARES = 4


def duty_roster(world: World, draws: Draws, num: int) -> Bag:
    """So many people to be taken by turns, some up to four times as often as others: who did how much is no guess."""
    everybody = colleagues(world, draws.apart("colleagues"))
    people = [everybody.take() for _ in range(num)]
    return Bag(draws, tuple(person for person in people for _ in range(draws.between(1, _MOST_SHARES))))
