"""The world of one seed: its calendar, its names, the shares of its blocks, and the facts stated so far.

Every block draws from separate streams, so that a change in one does not change another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate
from typing import Any

from assay.memory_eval.truth import Fact
from assay.memory_eval.world.names import Names, words
from assay.seeded_random import Draws

# ------------------ shares

SHARES: Mapping[str, int] = {
    "people": 5,
    "projects": 10,
    "technical": 10,
    "evolving_story": 15,
    "numerical": 10,
    "contradictory": 8,
    "callbacks": 6,
    "distractors": 6,
    "security_logs": 10,
    "incidents": 8,
    "infrastructure": 7,
    "problem_solving": 5,
}
"""Per cent of the turns, by block, in the order of the dialogue."""


def shares_of(total: int, weights: Mapping[str, int]) -> dict[str, int]:
    """Return how many of `total` each name gets by its weight, as in `shared_out`."""
    return dict(zip(weights, shared_out(total, list(weights.values())), strict=True))


def shared_out(total: int, weights: Sequence[int]) -> list[int]:
    """Divide `total` into whole parts by weight; remainders go to the largest fractions, the first of equals.

    The method of largest remainders (Hamilton's): no part is further than one from its exact share.
    """
    whole = sum(weights)
    parts = [total * weight // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda place: (-(total * weights[place] % whole), place))
    for place in by_remainder[: total - sum(parts)]:
        parts[place] += 1
    return parts


# ------------------ productions

SHARE = 60
"""Per cent of the productions of a slot that one exam uses."""
_FIELD = re.compile(r"\{(\w+)\}")
_PARTS = ("attributes", "told", "asked")


@cache
def _grammar() -> Mapping[str, Any]:
    folder = files("assay.memory_eval.world").joinpath("grammar")
    return {name: json.loads(folder.joinpath(f"{name}.json").read_text("utf-8")) for name in _PARTS}


def grammar(*path: str) -> Any:
    """Return what the grammar has at a path, None if there is nothing."""
    found: Any = _grammar()
    for key in path:
        if not isinstance(found, Mapping) or key not in found:
            return None
        found = found[key]
    return found


class Productions:
    """The part of the grammar that an exam uses, chosen by `draws`."""

    def __init__(self, draws: Draws) -> None:
        self._draws = draws
        self._chosen: dict[tuple[str, ...], Sequence[Any]] = {}

    def of(self, *path: str) -> Sequence[Any]:
        """Return the chosen productions of a slot; () if the grammar has none."""
        chosen = self._chosen.get(path)
        if chosen is None:
            all_of_it = grammar(*path) or ()
            if isinstance(all_of_it, str):
                all_of_it = (all_of_it,)
            num = -(-len(all_of_it) * SHARE // 100)
            chosen = self._draws.apart("/".join(path)).some(all_of_it, num)
            self._chosen[path] = chosen
        return chosen


@lru_cache(maxsize=20_000)
def _split(frame: str) -> tuple[str, ...]:
    return tuple(_FIELD.split(frame))


def fill(frame: str, parts: Mapping[str, str]) -> str:
    """Return a frame with its places filled; other braces are text."""
    pieces = _split(frame)
    return "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))


# ------------------ world

WORLD_VERSION = "4"
"""Incremented whenever a seed generates anything else; results of different versions are not comparable."""

_EARLIEST, _LATEST = date(2019, 1, 1), date(2028, 12, 31)
_SHORTEST_D, _LONGEST_D = 690, 760


class World(Names):
    """The names, entities and facts of one seed. Blocks add to it in order; later ones use earlier facts.

    `people`, `projects`, `components`, `startups`: names in the order stated. `told`: all facts of earlier blocks.
    """

    def __init__(self, seed: int, num_turns: int) -> None:
        self._key = b"seed:%d" % seed
        self.productions = Productions(self.draws("productions"))
        super().__init__(self.draws("names"), words)
        self.num_turns = num_turns
        self.people: list[str] = []
        self.projects: list[str] = []
        self.components: list[str] = []
        self.startups: list[str] = []
        self.told: list[Fact] = []
        self._latest: dict[tuple[str, str], Fact] = {}
        calendar = self.draws("calendar")
        self._first_day = calendar.day(_EARLIEST, _LATEST)
        self._num_days = calendar.between(_SHORTEST_D, _LONGEST_D)
        self.turns_of = shares_of(num_turns, SHARES)
        self._starts = dict(zip(SHARES, accumulate(self.turns_of.values(), initial=1), strict=False))

    # ------------------------------------------------------------------ draws and time

    def draws(self, name: str) -> Draws:
        """Return the stream of this name from its beginning: two calls draw the same values."""
        return Draws(f"v{WORLD_VERSION}:{name}", self._key)

    def day_of(self, turn_number: int) -> date:
        """Return the day of a turn; never before an earlier turn's. All turns together take about two years."""
        return self._first_day + timedelta(days=(turn_number - 1) * self._num_days // self.num_turns)

    def days_of(self, block: str, num_turns: int) -> list[date]:
        """Return the day of each of the first `num_turns` turns of a block."""
        return [self.day_of(self._starts[block] + place) for place in range(num_turns)]

    # ------------------------------------------------------------------ words and names

    def vocabulary(self, name: str) -> list[str]:
        """Return the words of one list."""
        return list(words(name))

    def new_person(self) -> str:
        """Return a new first and last name, such as "Amara Lindqvist"."""
        return self.unique(lambda: f"{self.next_of('first_names')} {self.next_of('last_names')}")

    def new_company(self) -> str:
        """Return a new company name, such as "Brightwell Robotics"."""
        return self.unique(lambda: f"{self.next_of('company_firsts')} {self.next_of('company_seconds')}")

    def new_project(self) -> str:
        """Return a new project name, such as "Project Amber Heron"."""
        return self.unique(lambda: f"Project {self.next_of('project_firsts')} {self.next_of('project_seconds')}")

    def new_place(self) -> str:
        """Return a new fictional place name, such as "Brackenhaven"."""
        return self.unique(lambda: self.next_of("place_beginnings") + self.next_of("place_endings"))

    def tell(self, facts: Iterable[Fact]) -> None:
        """Add a block's facts, for the blocks after it."""
        for told in facts:
            self.told.append(told)
            key = (told["entity"], told["attribute"])
            before = self._latest.get(key)
            if before is None or before["valid_from"] <= told["valid_from"]:
                self._latest[key] = told

    def latest(self, entity: str, attribute: str) -> Fact | None:
        """Return the current fact from earlier blocks, or None."""
        return self._latest.get((entity, attribute))
