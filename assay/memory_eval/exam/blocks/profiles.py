"""Six blocks by one engine: things enter with some attributes, the others follow in later turns, and some change.

A *change* holds from a later day than the previous statement. A *correction* is stated later and holds from the same
day: the previous statement was never true.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any, ClassVar, NamedTuple

from assay.memory_eval.exam.blocks.block import Block, Draft
from assay.memory_eval.exam.blocks.material.supplies import OtherValues, colleagues, inside_address
from assay.memory_eval.truth import AnswerType, Fact
from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.wording import fact
from assay.memory_eval.world.world import World
from assay.seeded_random import Draws

_TRIES = 12
_SMALL, _MIDDLING = 20, 100
"""Most turns of a small and of a medium block."""
_FEW_PARTS = ((15, 2), (30, 3))
"""In fewer turns, a thing takes at most so many of them."""
_CORRECTION_AFTER = 6
"""Later turns without a correction after which one follows, so that a short story has some too."""

_YEAR = 365
_DAYS = {
    "birthday": (-61 * _YEAR, -23 * _YEAR),
    "joined_on": (-11 * _YEAR, -_YEAR),
    "deadline": (80, 430),
    "started_on": (-290, -9),
    "launch_day": (40, 400),
}
"""Days from the day of the statement."""
_NUMBERS: dict[str, tuple[int, int, float]] = {
    "extension": (1_013, 9_987, 1),
    "budget": (213, 9_874, 1_000),
    "team_size": (5, 94, 1),
    "port": (1_031, 64_997, 1),
    "timeout": (31, 989, 10),
    "memory_limit": (5, 511, 32),
    "max_connections": (23, 997, 5),
    "headcount": (13, 396, 1),
    "funding": (1_013, 49_870, 1_000),
    "paying_customers": (113, 9_870, 1),
    "churn": (113, 987, 0.01),
    "server_uptime": (97_013, 99_987, 0.001),
    "test_coverage": (4_130, 9_680, 0.01),
    "response_time": (83, 1_940, 1),
    "signups": (1_013, 98_700, 1),
    "tickets": (211, 8_970, 1),
    "energy_use": (10_130, 98_700, 1),
    "cpu_cores": (3, 255, 2),
    "ram": (3, 767, 8),
    "storage": (111, 9_789, 0.1),
    "uptime": (11, 2_989, 1),
    "vlan": (103, 4_091, 1),
    "height": (111, 3_289, 0.1),
    "built_in": (1_104, 1_987, 1),
    "visitors": (2_013, 987_613, 1),
}
"""The range of each number, and the step that multiplies it."""
_SHARED = {"os": 12, "location": 16}
"""Attributes of a small sample of values, one for so many turns: it is worth asking how many things share one."""


class Thing(NamedTuple):
    """A kind of thing: its attributes, the turns that state them, and how a new one is made, with values it has."""

    attributes: tuple[str, ...]
    num_parts: tuple[int, int]
    make: Callable[[Profiles], tuple[str, dict[str, Any]]]


class Plan(NamedTuple):
    """How the things of a block enter and change. Numbers are per cent of turns, but for the pace of entering.

    New things enter at an even pace in the first `entering` per cent of the turns, one for each `turns_each` turns of
    the whole block. Small blocks have fewer turns for each, down to `at_least`, so that there is something to compare.
    """

    things: tuple[Thing, ...]
    turns_each: float
    at_least: float
    entering: int
    changing: int = 0
    correcting: int = 0
    two_at_once: int = 0
    lead: tuple[str, int] = ("", 0)
    after: tuple[str, int] = ("", 0)
    after_change: tuple[str, int] = ("", 0)


class Profiles(Block):
    """Things with attributes, stated in parts, and their changes."""

    plan: ClassVar[Plan]

    def __init__(self, world: World, num_turns: int) -> None:
        super().__init__(world, num_turns)
        self.world, self.draws = world, self._draws
        self._others = OtherValues(world, self._draws.apart("others"))
        self._people = colleagues(world, self._draws.apart("people"))
        each, least = self.plan.turns_each, self.plan.at_least
        pace = least if num_turns <= _SMALL else min(each, 2 * least) if num_turns <= _MIDDLING else each
        self._num_new = max(1, int(num_turns / pace))
        self._entering = max(1, num_turns * self.plan.entering // 100)
        self._entered: dict[str, int] = {}
        """The things in the order they entered, with the number of statements on each."""
        self._waiting: list[tuple[str, dict[str, Any]]] = []
        """Parts that are still to be stated."""
        self._last: dict[str, dict[str, Fact]] = {}
        self._values: dict[tuple[str, str], list[Any]] = {}
        self._uncorrected = 0
        self.to_come: list[str] = []

    def drafts(self) -> list[Draft]:
        """Return the turns; every part of a thing that enters is stated."""
        return [self._draft(place, today) for place, today in enumerate(self._days)]

    def _draft(self, place: int, today: date) -> Draft:
        left = self._num_turns - place
        if len(self._waiting) >= left:
            return self._part(today)
        due = min(self._num_new, -(-self._num_new * (place + 1) // self._entering))
        later = self._later(today) if len(self._entered) >= due else None
        return later or self._new(left, today)

    def _later(self, today: date) -> Draft | None:
        """Return a correction, a change or a part of a known thing; None if there is none today."""
        plan, change = self.plan, None
        if plan.correcting and (self._draws.chance(plan.correcting) or self._uncorrected == _CORRECTION_AFTER):
            self._uncorrected = 0
            return self._correction()
        self._uncorrected += 1
        if self._draws.chance(plan.changing):
            change = self._change(today)
        return change or (self._part(today) if self._waiting else self._change(today))

    # ------------------------------------------------------------------ statements

    def _new(self, left: int, today: date) -> Draft:
        thing = self.plan.things[len(self._entered) % len(self.plan.things)]
        name, values = thing.make(self)
        self._entered[name] = 0
        values |= {one: self._drawn(one, today) for one in thing.attributes if one not in values}
        order = self._draws.some(thing.attributes, len(thing.attributes))
        few = next((most for fewer, most in _FEW_PARTS if self._num_turns < fewer), left)
        num_parts = max(1, min(self._draws.between(*thing.num_parts), few, left - len(self._waiting)))
        first, *others = ({one: values[one] for one in order[part::num_parts]} for part in range(num_parts))
        self._waiting += [(name, part) for part in others]
        return self._told(name, first, today)

    def _part(self, today: date) -> Draft:
        name, values = self._waiting.pop(self._draws.below(len(self._waiting)))
        return self._told(name, values, today)

    def _told(self, name: str, values: dict[str, Any], today: date) -> Draft:
        facts = [fact(name, attribute, value, today) for attribute, value in values.items()]
        self._remember(facts)
        if self.plan.lead[0]:
            return Draft(self._led(name, self._telling.facts(facts, today)), tuple(facts))
        return self._stated(facts, today)

    def _change(self, today: date) -> Draft | None:
        """Return one or two changes of a thing, each stated on an earlier day before; None if there is none."""
        for name in self._some_changeable():
            known = [old for old in self._last[name].values() if old["valid_from"] < today.isoformat()]
            num = min(len(known), 1 + self._draws.chance(self.plan.two_at_once))
            changes = [
                (new, old["value"]) for old in self._draws.some(known, num) if (new := self._instead(old, today))
            ]
            if changes:
                self._remember([new for new, _ in changes])
                text = self._telling.changed(changes)
                slot, chance = self.plan.after_change
                text = self._telling.followed(text, slot) if self._draws.chance(chance) else text
                text = self._led(name, text) if self.plan.lead[0] else self._telling.framed(text)
                return Draft(text, tuple(new for new, _ in changes))
        return None

    def _correction(self) -> Draft | None:
        """Return a correction of the last statement: another value for the same day."""
        for name in self._some_changeable():
            old = self._draws.one(list(self._last[name].values()))
            if new := self._instead(old, date.fromisoformat(old["valid_from"])):
                self._remember([new])
                return Draft(self._telling.framed(self._telling.corrected(new, old["value"])), (new,))
        return None

    def _some_changeable(self) -> list[str]:
        names = list(self._last)
        return self._draws.some(names, min(_TRIES, len(names)))

    def _instead(self, old: Fact, day: date) -> Fact | None:
        """Return another value than an attribute ever had, for this day."""
        key = old["entity"], old["attribute"]
        value = self._others.than(old, day, self._values[key])
        return None if value is None else fact(*key, value, day)

    def _remember(self, facts: list[Fact]) -> None:
        for one in facts:
            if ATTRIBUTES[one["attribute"]].changes:
                self._last.setdefault(one["entity"], {})[one["attribute"]] = one
                self._values.setdefault((one["entity"], one["attribute"]), []).append(one["value"])

    def _led(self, name: str, text: str) -> str:
        """Return a text with a sentence after it and a lead before it, or without."""
        (lead, leads), (after, follows) = self.plan.lead, self.plan.after
        text = self._telling.followed(text, after) if self._draws.chance(follows) else text
        if not self._draws.chance(leads):
            return text
        self._entered[name] += 1
        return f"{self._telling.one(lead, s=name, k=str(self._entered[name]))} {text}"

    # ------------------------------------------------------------------ values

    def _drawn(self, attribute: str, today: date) -> Any:
        row, world = ATTRIBUTES[attribute], self._world
        if row.type is AnswerType.number:
            return number(attribute, self._draws)
        if row.type is AnswerType.date:
            return (today + timedelta(days=self._draws.between(*_DAYS[attribute]))).isoformat()
        if attribute in _SHARED:
            words = world.vocabulary(str(row.domain))
            num = min(len(words), max(3, self._num_turns // _SHARED[attribute]))
            return self._draws.one(world.draws(f"{self.name} {attribute}").some(words, num))
        match row.domain:
            case "person":
                return self._people.take()
            case "founder":
                return world.new_person()
            case "company":
                return world.new_company()
            case "version":
                return ".".join(str(self._draws.between(0, most)) for most in (14, 29, 9))
            case "product":
                return world.next_of("products")
        return world.next_of(str(row.domain))


def number(attribute: str, draws: Draws) -> float:
    """Return a number of an attribute's range, exact to its step."""
    first, last, step = _NUMBERS[attribute]
    drawn = draws.between(first, last)
    if step >= 1:
        return drawn * int(step)
    return (drawn + (drawn % 10 == 0)) / round(1 / step)  # never a whole number of tenths or hundredths


# ------------------ things


def _person(block: Profiles) -> tuple[str, dict[str, Any]]:
    block.world.people.append(block.world.new_person())
    return block.world.people[-1], {}


def _project(block: Profiles) -> tuple[str, dict[str, Any]]:
    block.world.projects.append(block.world.new_project())
    return block.world.projects[-1], {}


def _component(block: Profiles) -> tuple[str, dict[str, Any]]:
    world = block.world
    field = world.next_of("technical_domains")
    kinds = "components_" + field.lower().replace(" ", "_")
    world.components.append(world.unique(lambda: f"{world.next_of('component_names')} {world.next_of(kinds)}"))
    return world.components[-1], {"field": field}


def _startup(block: Profiles) -> tuple[str, dict[str, Any]]:
    block.world.startups.append(block.world.new_company())
    return block.world.startups[-1], {}


def _quarter(block: Profiles) -> tuple[str, dict[str, Any]]:
    """Return the quarters of one branch in sequence, so that they can be compared; the forecast is near the revenue."""
    world, draws = block.world, block.draws
    if not block.to_come:
        place, year = world.next_of("towns"), world.day_of(1).year - draws.between(1, 4)
        while f"{place} branch Q1 {year}" in world.taken:
            year -= 1
        block.to_come = [world.unique(f"{place} branch Q{num} {year}".__str__) for num in (4, 3, 2, 1)]
    size = draws.between(10_130, 98_790)
    near = [(size * draws.between(88, 113) // 100 + draws.between(1, 97)) * 100 for _ in range(2)]
    return block.to_come.pop(), {"revenue": near[0], "revenue_forecast": near[1]}


def _server(block: Profiles) -> tuple[str, dict[str, Any]]:
    world, draws = block.world, block.draws
    most = max(99, world.num_turns // 200)
    name = world.unique(lambda: f"{world.next_of('server_stems')}-{draws.between(1, most):02}")
    return name, {"address": inside_address(world, draws)}


def _network(block: Profiles) -> tuple[str, dict[str, Any]]:
    world, draws = block.world, block.draws
    name = world.unique(lambda: f"{world.next_of('network_stems')} {world.next_of('network_purposes')}")
    middle = world.unique(lambda: f"172.{draws.between(16, 31)}.{draws.below(256)}")
    return name, {"cidr": f"{middle}.0/{draws.between(24, 27)}", "gateway": f"{middle}.{draws.between(1, 30)}"}


def _stated_of(kind: str, *but: str) -> tuple[str, ...]:
    return tuple(row.name for row in ATTRIBUTES.values() if row.kind == kind and row.name not in but)


_SERVER = Thing(_stated_of("server"), (1, 2), _server)


class People(Profiles):
    """Profiles of people, each over several turns, and a few changes of role and team."""

    name = "people"
    plan = Plan((Thing(_stated_of("person", "mentor"), (4, 5), _person),), 5.5, 2, 85, changing=22)


class Projects(Profiles):
    """Projects: each described once, then changed repeatedly, each change with its day."""

    name = "projects"
    plan = Plan(
        (Thing(_stated_of("project"), (1, 1), _project),), 6, 2.5, 60, 100, two_at_once=35, after_change=("because", 60)
    )


class Technical(Profiles):
    """Software components of nine technical domains, their settings and versions."""

    name = "technical"
    plan = Plan((Thing(_stated_of("component"), (2, 2), _component),), 3, 2.5, 75, changing=40)


class EvolvingStory(Profiles):
    """The story of some start-ups, in chapters: changes, and corrections of wrong statements."""

    name = "evolving_story"
    plan = Plan(
        (Thing(_stated_of("startup"), (2, 2), _startup),),
        11,
        4,
        50,
        changing=65,
        correcting=24,
        two_at_once=30,
        lead=("chapter", 30),
        after=("scene", 40),
    )


class Numerical(Profiles):
    """Exact figures: quarterly reports of branches, in money, per cent, milliseconds and counts."""

    name = "numerical"
    plan = Plan(
        (Thing(_stated_of("quarter"), (3, 3), _quarter),), 3, 2, 95, lead=("numbers_lead", 50), after=("context", 55)
    )


class Infrastructure(Profiles):
    """The inventory: servers with their components, and networks with their ranges; their facts do not change."""

    name = "infrastructure"
    plan = Plan((_SERVER, Thing(_stated_of("network"), (1, 1), _network), _SERVER, _SERVER), 1.3, 1.2, 95)
