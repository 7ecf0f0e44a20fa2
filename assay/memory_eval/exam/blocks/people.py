"""Profiles of people, each over several turns, and a few changes of role and team."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from assay.memory_eval.exam.blocks.block import Block, Draft
from assay.memory_eval.truth import Fact
from assay.memory_eval.world.wording import fact
from assay.memory_eval.world.world import World
from assay.seeded_random import Draws

_ATTRIBUTES = (
    "birthday",
    "allergy",
    "hobby",
    "role",
    "team",
    "pet",
    "pet_name",
    "hometown",
    "favorite_food",
    "degree",
    "joined_on",
    "extension",
)
_DRAWN_FROM = {
    "allergy": "allergies",
    "hobby": "hobbies",
    "role": "roles",
    "team": "teams",
    "pet": "animals",
    "pet_name": "pet_names",
    "hometown": "towns",
    "favorite_food": "foods",
    "degree": "degrees",
}
_AT_ONCE = 5
"""Profiles in progress at the same time."""
_CHANGE_IN = 18
"""Per cent of turns with a change, once there is a person whose role or team can change."""
_FEW_TURNS = 10
"""In fewer turns there are no changes: they would leave no turns for profiles."""


class People(Block):
    """Profiles of all people, each over several turns."""

    name = "people"

    def __init__(self, world: World, num_turns: int) -> None:
        super().__init__(world, num_turns)
        self._open: list[tuple[str, list[tuple[str, ...]]]] = []
        self._changeable: dict[tuple[str, str], Fact] = {}

    def drafts(self) -> list[Draft]:
        """Return turns of two to six facts each; a person's turns are some turns apart."""
        drafts = []
        for place, today in enumerate(self._days):
            self._place = place
            change = self._change(today) if self._draws.chance(_CHANGE_IN) else None
            drafts.append(change or self._part_of_a_profile(today))
        return drafts

    def _part_of_a_profile(self, today: date) -> Draft:
        turns_left = self._num_turns - self._place
        waiting = sum(len(parts) for _, parts in self._open)
        if not self._open or (len(self._open) < _AT_ONCE and waiting < turns_left):
            self._open.insert(0, self._somebody_new())
        else:
            self._draws.shuffle(self._open)
        person, parts = self._open[0]
        attributes = parts.pop(0)
        if not parts:
            self._open.pop(0)
        told = [fact(person, name, _value(name, self._world, self._draws, today), today) for name in attributes]
        for one in told:
            if one["attribute"] in ("role", "team"):
                self._changeable[person, one["attribute"]] = one
        return self._stated(told, today)

    def _somebody_new(self) -> tuple[str, list[tuple[str, ...]]]:
        person = self._world.new_person()
        self._world.people.append(person)
        order = self._draws.some(_ATTRIBUTES, len(_ATTRIBUTES))
        num_parts = 2 if self._num_turns < 15 else 3 if self._num_turns < 30 else self._draws.between(4, 5)
        return person, [tuple(order[part::num_parts]) for part in range(num_parts)]

    def _change(self, today: date) -> Draft | None:
        """Return a change of a person's role or team, some days after the last statement; None if there is none."""
        if self._num_turns < _FEW_TURNS:
            return None
        settled = [key for key, last in self._changeable.items() if last["valid_from"] < today.isoformat()]
        if not settled:
            return None
        person, attribute = key = self._draws.one(settled)
        old = self._changeable[key]["value"]
        new = old
        while new == old:
            new = self._world.next_of(_DRAWN_FROM[attribute])
        told = self._changeable[key] = fact(person, attribute, new, today)
        return Draft(self._telling.framed(self._telling.changed([(told, old)])), (told,))


def _value(attribute: str, world: World, draws: Draws, today: date) -> Any:
    if attribute in _DRAWN_FROM:
        return world.next_of(_DRAWN_FROM[attribute])
    return _DRAWN[attribute](draws, today)


_DRAWN: dict[str, Callable[[Draws, date], Any]] = {
    "birthday": lambda draws, today: draws.day(date(today.year - 61, 1, 1), date(today.year - 23, 12, 31)).isoformat(),
    "joined_on": lambda draws, today: draws.day(date(today.year - 11, 1, 1), date(today.year - 1, 12, 1)).isoformat(),
    "extension": lambda draws, _: draws.between(1013, 9987),
}
