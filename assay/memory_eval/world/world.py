"""The world of one seed: its calendar, its names, and what has been told of it so far.

Every block draws from streams of its own, so that a change in one does not shift what another tells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from itertools import accumulate

from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.truth import Fact
from assay.memory_eval.world.names import Names
from assay.memory_eval.world.shares import SHARES, shares_of
from assay.memory_eval.world.vocabulary_files import words

WORLD_VERSION = "1"
"""Raised whenever the same seed tells anything else than before; results of two versions are not compared."""

_EARLIEST, _LATEST = date(2019, 1, 1), date(2028, 12, 31)
_SHORTEST_D, _LONGEST_D = 690, 760


class World:
    """What there is, for one seed. Blocks fill it in their order; later ones find what earlier ones told.

    `people`, `projects`, `components`, `startups`: names in the order told. `told`: all facts of earlier blocks.
    """

    def __init__(self, seed: int, num_turns: int, shares: Mapping[str, int] = SHARES) -> None:
        self.seed = seed
        self.num_turns = num_turns
        self.people: list[str] = []
        self.projects: list[str] = []
        self.components: list[str] = []
        self.startups: list[str] = []
        self.told: list[Fact] = []
        self._latest: dict[tuple[str, str], Fact] = {}
        self._names = Names(self._stream("names"))
        calendar = self.draws("calendar")
        self._first_day = calendar.day(_EARLIEST, _LATEST)
        self._num_days = calendar.between(_SHORTEST_D, _LONGEST_D)
        self.turns_of = shares_of(num_turns, shares)
        self._starts = dict(zip(shares, accumulate(self.turns_of.values(), initial=1), strict=False))

    # ------------------------------------------------------------------ draws and time

    def draws(self, name: str) -> Draws:
        """The stream of this name, from its beginning: asked for twice it draws the same twice."""
        return Draws(self._stream(name))

    def first_turn(self, block: int | str) -> int:
        """The number of a block's first turn in the dialogue; the block by its number (1 to 12) or its name."""
        return self._starts[block if isinstance(block, str) else list(SHARES)[block - 1]]

    def day_of(self, turn_number: int) -> date:
        """The day on which a turn is told; never before an earlier turn's. All turns together take about two years."""
        return self._first_day + timedelta(days=(turn_number - 1) * self._num_days // self.num_turns)

    def days_of(self, block: str, num_turns: int) -> list[date]:
        """The day of each of the first `num_turns` turns of a block."""
        first = self.first_turn(block)
        return [self.day_of(first + place) for place in range(num_turns)]

    # ------------------------------------------------------------------ words and names

    def vocabulary(self, name: str) -> list[str]:
        """The words of one list."""
        return list(words(name))

    def next_of(self, vocabulary: str) -> str:
        """A word of the list; the whole list is gone through before any word comes again."""
        return self._names.next_of(vocabulary)

    def unique(self, make: Callable[[], str]) -> str:
        """The first name `make` finds that nothing else in this world has."""
        return self._names.unique(make)

    def is_taken(self, name: str) -> bool:
        """Whether something in this world has this name already."""
        return name in self._names.taken

    def new_person(self) -> str:
        """A first and a last name, such as "Amara Lindqvist"."""
        return self.unique(lambda: f"{self.next_of('first_names')} {self.next_of('last_names')}")

    def new_company(self) -> str:
        """Such as "Brightwell Robotics"."""
        return self.unique(lambda: f"{self.next_of('company_firsts')} {self.next_of('company_seconds')}")

    def new_project(self) -> str:
        """Such as "Project Amber Heron"."""
        return self.unique(lambda: f"Project {self.next_of('project_firsts')} {self.next_of('project_seconds')}")

    def new_place(self) -> str:
        """A place that is on no map, such as "Brackenhaven"."""
        return self.unique(lambda: self.next_of("place_beginnings") + self.next_of("place_endings"))

    # ------------------------------------------------------------------ what has been told

    def tell(self, facts: Iterable[Fact]) -> None:
        """Remember what a block told, for the blocks after it."""
        for told in facts:
            self.told.append(told)
            key = (told["entity"], told["attribute"])
            before = self._latest.get(key)
            if before is None or before["valid_from"] <= told["valid_from"]:
                self._latest[key] = told

    def latest(self, entity: str, attribute: str) -> Fact | None:
        """The fact that holds now, as far as earlier blocks told; None where they told nothing."""
        return self._latest.get((entity, attribute))

    def _stream(self, name: str) -> str:
        return f"v{WORLD_VERSION}:{self.seed}:{name}"
