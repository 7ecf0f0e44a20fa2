"""The base of a block: a theme with a share of the turns, generated from the world."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from assay.memory_eval.truth import Fact
from assay.memory_eval.world.fact import in_words, with_article
from assay.memory_eval.world.phrases import Phrases
from assay.memory_eval.world.world import World


@dataclass(frozen=True, slots=True)
class Draft:
    """A turn before it has its place: the text, and the facts it states."""

    content: str
    facts: tuple[Fact, ...] = ()


class Block(ABC):
    """One theme of the dialogue, and the state of generating its turns. Blocks follow each other as registered."""

    name: ClassVar[str]
    """Key of its share, its random stream and its templates."""

    def __init__(self, world: World, num_turns: int) -> None:
        self._world = world
        self._num_turns = num_turns
        self._draws = world.draws(self.name)
        self._phrases = Phrases(self.name, self._draws.apart("phrases"))
        self._days = world.days_of(self.name, num_turns)

    def _predicates(self, told: Iterable[Fact], day: str = "") -> list[str]:
        """Return each fact in words, without its subject; `day` is today in words, for templates that name it."""
        said = [(one["attribute"], in_words(one["attribute"], one["value"])) for one in told]
        return [self._phrases.one(name, v=words, a=with_article(words), d=day) for name, words in said]

    @abstractmethod
    def drafts(self) -> list[Draft]:
        """Return exactly `num_turns` turns, in order; every entity and value of their facts is in their text."""
