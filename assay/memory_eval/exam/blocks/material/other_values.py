"""Alternative values of the same kind: for changes, near-twins and planted text."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta
from typing import Any

from assay.memory_eval.truth import AnswerType, Fact
from assay.memory_eval.world.attributes import ATTRIBUTES, Attribute
from assay.memory_eval.world.world import World
from assay.seeded_random import Draws

_TRIES = 60
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
        for _ in range(_TRIES):
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
