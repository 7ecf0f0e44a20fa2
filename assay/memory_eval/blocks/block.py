"""The interface of a block: a theme with a share of the turns, generated from the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from assay.memory_eval.truth import Fact
from assay.memory_eval.world.world import World


@dataclass(frozen=True, slots=True)
class Draft:
    """A turn before it has its place: the text, and the facts it states."""

    content: str
    facts: tuple[Fact, ...] = ()


class Block(Protocol):
    """One theme. `number` is its place in the dialogue, from 1; `share` is in per cent of the turns."""

    name: str
    number: int
    share: int

    def drafts(self, world: World, num_turns: int) -> list[Draft]:
        """Return exactly `num_turns` turns, in order; every entity and value of their facts is in their text."""
        ...
