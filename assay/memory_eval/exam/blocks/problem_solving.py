"""Problems and solutions: a symptom first, its cause and the fix in the same turn or a few turns later."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from assay.memory_eval.exam.blocks.block import Block, Draft
from assay.memory_eval.exam.blocks.material.supplies import duty_roster, numbered
from assay.memory_eval.world.wording import day_in_words, fact
from assay.memory_eval.world.world import World

_IN_TWO_TURNS = 30
"""Per cent of turns that state the symptom of a problem solved later."""
_LATER_BY = (2, 24)


_SOLUTION = ("cause", "fix", "fix_time", "fixed_by")

_Problem = tuple[str, dict[str, Any]]
"""The number of a problem, and its values by attribute."""


class ProblemSolving(Block):
    """Problems of every service, each with a unique symptom and fix."""

    name = "problem_solving"

    def __init__(self, world: World, num_turns: int) -> None:
        super().__init__(world, num_turns)
        self._fixers = duty_roster(world, self._draws.apart("fixers"), max(3, num_turns // 12))
        self._symptoms = _by_area(world.vocabulary("symptoms"))
        self._causes = _by_area(world.vocabulary("problem_causes"))
        self._fixes = _by_area(world.vocabulary("fixes"))

    def drafts(self) -> list[Draft]:
        """Return turns of one, four or five facts; a problem's name is its number, "PRB-2041"."""
        return [self._draft(*telling, today) for telling, today in zip(self._order(), self._days, strict=True)]

    def _order(self) -> list[tuple[_Problem, tuple[str, ...]]]:
        """Return the problem and attributes of each turn; a problem's symptom always precedes its fix."""
        num_twice = self._num_turns * _IN_TWO_TURNS // 100
        num = self._num_turns - num_twice
        twice = set(self._draws.some(range(num), num_twice))
        tellings: list[tuple[int, _Problem, tuple[str, ...]]] = []
        for place in range(num):
            problem = self._problem()
            if place in twice:
                tellings.append((place * 4, problem, ("symptom",)))
                tellings.append((place * 4 + self._draws.between(*_LATER_BY), problem, _SOLUTION))
            else:
                tellings.append((place * 4, problem, ("symptom", *_SOLUTION)))
        tellings.sort(key=lambda telling: telling[0])
        return [(problem, parts) for _, problem, parts in tellings]

    def _problem(self) -> _Problem:
        draws, world = self._draws, self._world
        area = draws.one(list(self._symptoms))
        service = world.next_of("services")

        def drawn(wordings: Sequence[str]) -> str:
            return world.unique(lambda: draws.one(wordings).format(service=service, number=draws.between(103, 989)))

        return numbered(world, draws, "PRB", self._num_turns), {
            "symptom": drawn(self._symptoms[area]),
            "cause": draws.one(self._causes[area]).format(service=service),
            "fix": drawn(self._fixes[area]),
            "fix_time": draws.between(13, 1987),
            "fixed_by": self._fixers.take(),
        }

    def _draft(self, problem: _Problem, parts: tuple[str, ...], today: date) -> Draft:
        number, values = problem
        facts = [fact(number, part, values[part], today) for part in parts]
        dated = self._telling.one("dated", d=day_in_words(today))
        content, before = self._telling.turn(facts)
        return Draft(f"{dated} {content}", tuple(facts), before)


def _by_area(wordings: Sequence[str]) -> dict[str, list[str]]:
    """Group rows such as "pool: raise …" as {"pool": ["raise …"]}."""
    found: dict[str, list[str]] = {}
    for row in wordings:
        area, _, wording = row.partition(": ")
        found.setdefault(area, []).append(wording)
    return found
