"""Numbered things: events, incidents, problems."""

from __future__ import annotations

from assay.memory_eval.world.world import World
from assay.seeded_random import Draws


def numbered(world: World, draws: Draws, prefix: str, num: int, at_least: int = 4) -> str:
    """Return a free name such as "INC-4127", with enough digits for `num` of a kind."""
    digits = max(at_least, len(str(num)) + 1)
    first, last = 10 ** (digits - 1), 10**digits - 1
    return world.unique(lambda: f"{prefix}-{draws.between(first, last)}")
