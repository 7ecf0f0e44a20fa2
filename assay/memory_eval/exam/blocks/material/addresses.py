"""Network addresses without an owner: private ones inside, ones reserved for examples and tests outside."""

from __future__ import annotations

from assay.memory_eval.world.world import World
from assay.seeded_random import Draws

_EXAMPLES = ("192.0.2", "198.51.100", "203.0.113")
"""Reserved for documentation by RFC 5737."""
_FROM_EXAMPLES = 40
"""Per cent of the outside addresses; the others are in 198.18.0.0/15, reserved for benchmarks by RFC 2544."""


def inside_address(world: World, draws: Draws) -> str:
    """Return an unused private address, such as "10.42.7.19"."""
    return world.unique(lambda: f"10.{draws.between(16, 250)}.{draws.below(256)}.{draws.between(1, 254)}")


def outside_address(world: World, draws: Draws) -> str:
    """Return an unused outside address, such as "203.0.113.58"."""

    def make() -> str:
        if draws.chance(_FROM_EXAMPLES):
            return f"{draws.one(_EXAMPLES)}.{draws.between(1, 254)}"
        return f"198.{draws.between(18, 19)}.{draws.below(256)}.{draws.between(1, 254)}"

    return world.unique(make)
