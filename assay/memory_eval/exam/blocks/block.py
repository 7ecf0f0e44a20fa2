"""The base of a block: a theme with a share of the turns, generated from the world."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from assay.memory_eval.truth import Fact
from assay.memory_eval.world.telling import Telling
from assay.memory_eval.world.world import World


@dataclass(frozen=True, slots=True)
class Draft:
    """A turn before it has its place: the text, and the facts it states.

    `before`: what the turn before it ends with, because a fact begins there.
    """

    content: str
    facts: tuple[Fact, ...] = ()
    before: str = ""


class Block(ABC):
    """One theme of the dialogue, and the state of generating its turns. Blocks follow each other as registered."""

    name: ClassVar[str]
    """Key of its share and its random streams."""

    def __init__(self, world: World, num_turns: int) -> None:
        self._world = world
        self._num_turns = num_turns
        self._draws = world.draws(self.name)
        self._telling = Telling(world.productions, self._draws.apart("telling"))
        self._days = world.days_of(self.name, num_turns)

    def _stated(self, facts: Sequence[Fact], today: date) -> Draft:
        """Return a whole turn that states facts of one entity; values that change get this day."""
        content, before = self._telling.turn(facts, today)
        return Draft(content, tuple(facts), before)

    @abstractmethod
    def drafts(self) -> list[Draft]:
        """Return exactly `num_turns` turns, in order; every entity and value of their facts is in their text."""
