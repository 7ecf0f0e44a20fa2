"""What several blocks draw from: addresses, colleagues, rosters, numbers and other values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import date, timedelta
from typing import Any

from assay.memory_eval.truth import AnswerType, Fact
from assay.memory_eval.world.attributes import ATTRIBUTES, Attribute, stands_beside
from assay.memory_eval.world.names import Bag
from assay.memory_eval.world.world import World
from assay.seeded_random import Draws

# ------------------ addresses

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


# ------------------ colleagues

_ENOUGH = 4
"""Least number of people; new ones are added below it, so that there is a choice."""


def colleagues(world: World, draws: Draws) -> Bag:
    """Return people of the world, so that facts of different blocks can be joined through them."""
    people = list(world.people)
    while len(people) < _ENOUGH:
        people.append(world.new_person())
    return Bag(draws, tuple(people))


# ------------------ duty roster

_MOST_SHARES = 4


def duty_roster(world: World, draws: Draws, num: int) -> Bag:
    """Return people to take in turn, some up to four times as often as others, so that counts are hard to guess."""
    everybody = colleagues(world, draws.apart("colleagues"))
    people = [everybody.take() for _ in range(num)]
    return Bag(draws, tuple(person for person in people for _ in range(draws.between(1, _MOST_SHARES))))


# ------------------ numbered


def numbered(world: World, draws: Draws, prefix: str, num: int, at_least: int = 4) -> str:
    """Return a free name such as "INC-4127", with enough digits for `num` of a kind."""
    digits = max(at_least, len(str(num)) + 1)
    first, last = 10 ** (digits - 1), 10**digits - 1
    return world.unique(lambda: f"{prefix}-{draws.between(first, last)}")


# ------------------ earlier statements

Key = tuple[str, str]
"""An entity and one of its attributes."""


def _any(_: Fact) -> bool:
    return True


class ToldBefore:
    """Current facts in a drawn order; taken ones do not come again."""

    def __init__(self, world: World, draws: Draws) -> None:
        self._values: dict[Key, list[Any]] = {}
        self._of_entity: dict[str, dict[str, None]] = {}
        for one in world.told:
            if one["source"] is None and not stands_beside(one["attribute"]):
                self.add(one)
        self._draws = draws
        self._order: dict[str, list[Fact]] = {}
        for key in self._values:
            if (told := world.latest(*key)) is not None:
                self._order.setdefault(ATTRIBUTES[key[1]].kind, []).append(told)
        for order in self._order.values():
            draws.shuffle(order)
        self._taken: set[Key] = set()
        self._looked_at: dict[tuple[str, str], int] = {}
        self._with_a_request: set[str] = set()

    def add(self, told: Fact) -> None:
        """Add a fact of this block."""
        self._values.setdefault((told["entity"], told["attribute"]), []).append(told["value"])
        self._of_entity.setdefault(told["entity"], {})[told["attribute"]] = None

    def values_of(self, told: Fact) -> list[Any]:
        """Return every value this attribute of this entity ever had."""
        return self._values[told["entity"], told["attribute"]]

    def attributes_of(self, entity: str) -> list[str]:
        """Return an entity's attributes, in the order first stated."""
        return list(self._of_entity.get(entity, ()))

    def is_new(self, entity: str, attribute: str) -> bool:
        """Return whether an attribute of an entity was never stated."""
        return (entity, attribute) not in self._values

    def take_one(self, purpose: str, kinds: Sequence[str], fits: Callable[[Fact], bool] = _any) -> Fact | None:
        """Take an unused fact of one of these kinds; None if there is none left for this purpose.

        Each kind is chosen equally often, however many facts it has.
        """
        for kind in self._draws.some(kinds, len(kinds)):
            order = self._order.get(kind, [])
            for place in range(self._looked_at.get((purpose, kind), 0), len(order)):
                self._looked_at[purpose, kind] = place + 1
                told = order[place]
                key = told["entity"], told["attribute"]
                if key not in self._taken and fits(told):
                    self._taken.add(key)
                    return told
        return None

    def take_entity(self, purpose: str, kinds: Sequence[str], fits: Callable[[Fact], bool] = _any) -> Fact | None:
        """Take a matching fact of an entity without a request; the next request uses another entity."""
        found = self.take_one(purpose, kinds, lambda told: told["entity"] not in self._with_a_request and fits(told))
        if found is not None:
            self._with_a_request.add(found["entity"])
        return found


# ------------------ other values

_VALUE_TRIES = 60
_PEOPLE = ("person", "founder")
_MOST = {"port": 65_535, "extension": 9_999}
"""The highest valid values."""
_LISTS = {"product": "products"}
"""Vocabularies whose name differs from the domain."""


class OtherValues:
    """Plausible values of an attribute that were not stated.

    `strangers`: people among the values are new ones, so that known people get no new facts.
    """

    def __init__(self, world: World, draws: Draws, *, strangers: bool = False) -> None:
        self._world = world
        self._draws = draws
        self._strangers = strangers
        self._told: dict[str, dict[Any, None]] = {}
        for told in world.told:
            if not isinstance(told["value"], list):
                self._told.setdefault(told["attribute"], {})[told["value"]] = None

    def than(self, told: Fact, today: date, besides: Collection[Any] = ()) -> Any | None:
        """Return a value of the same size and form, except the stated one and `besides`; None if there is none.

        Days that can be moved, such as deadlines, are moved to some day after `today`.
        """
        row = ATTRIBUTES[told["attribute"]]
        for _ in range(_VALUE_TRIES):
            value = self._drawn(row, told["value"], today)
            if value is not None and value != told["value"] and value not in besides:
                return value
        return None

    def new(self, attribute: str, today: date) -> Any | None:
        """Return a value for a new attribute of an entity, like one stated for another; None if there is none."""
        told = list(self._told.get(attribute, ()))
        if not told:
            return None
        return self.than({"attribute": attribute, "value": self._draws.one(told)}, today)

    def _drawn(self, row: Attribute, value: Any, today: date) -> Any | None:
        if row.type is AnswerType.number:
            return self._number(value, row.unit, _MOST.get(row.name))
        if row.type is AnswerType.date:
            return self._put_off(value, today) if row.changes else self._date(value)
        if row.domain in _PEOPLE:
            known = self._world.people
            return self._world.new_person() if self._strangers or not known else self._draws.one(known)
        if row.domain == "company":
            return self._world.new_company()
        if row.domain == "version":
            return self._version(value)
        return self._draws.one(self._world.vocabulary(_LISTS.get(row.domain, row.domain))) if row.domain else None

    def _number(self, value: float, unit: str | None, most: int | None) -> float:
        """Return half to nearly twice as much, equally rounded; a share above 50 % stays above it."""
        per_cent = self._draws.between(53, 187)
        if not isinstance(value, int):
            places = len(repr(value).partition(".")[2])
            if unit == "%" and value > 50:
                return round(100 - min((100 - value) * per_cent / 100, 50), places)
            return round(value * per_cent / 100, places)
        step = 1
        while value and value % (step * 10) == 0:
            step *= 10
        if most is not None and value * per_cent > most * 100:
            per_cent //= 2
        return max(1, value // step * per_cent // 100) * step

    def _date(self, value: str) -> str:
        """Return a day weeks to months away."""
        days = self._draws.between(9, 160) * (-1 if self._draws.chance(40) else 1)
        return (date.fromisoformat(value) + timedelta(days=days)).isoformat()

    def _put_off(self, value: str, today: date) -> str:
        """Return a future day weeks to months later."""
        return (max(date.fromisoformat(value), today) + timedelta(days=self._draws.between(9, 160))).isoformat()

    def _version(self, value: str) -> str:
        """Increment one of the version's numbers: "4.7.2" -> "4.9.2"."""
        parts = value.split(".")
        place = self._draws.below(len(parts))
        if parts[place].isdigit():
            parts[place] = str(int(parts[place]) + self._draws.between(1, 6))
        return ".".join(parts)
