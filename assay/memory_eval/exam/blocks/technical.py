"""Software components of nine technical domains, their settings and versions."""

from __future__ import annotations

from datetime import date
from typing import Any

from assay.memory_eval.exam.blocks.block import Block, Draft
from assay.memory_eval.exam.blocks.material.supplies import Pacing, colleagues
from assay.memory_eval.truth import Fact
from assay.memory_eval.world.wording import fact
from assay.memory_eval.world.world import World
from assay.seeded_random import Draws

_SETTINGS = ("field", "port", "version", "timeout", "memory_limit", "max_connections", "language", "maintainer")
_AT_FIRST = 4
"""Settings stated when a component enters; the rest, and new versions, follow later."""
_UPGRADE = 55
"""Per cent of the later turns with a new version, if one was stated before."""


class Technical(Block):
    """Components and their settings."""

    name = "technical"

    def __init__(self, world: World, num_turns: int) -> None:
        super().__init__(world, num_turns)
        self._maintainers = colleagues(world, self._draws.apart("maintainers"))
        self._pacing = Pacing(self._days, turns_each=3, entering=75)
        self._untold: dict[str, list[str]] = {}
        self._fields: dict[str, str] = {}
        self._versions: dict[str, str] = {}

    def drafts(self) -> list[Draft]:
        """Return two turns of settings for most components, and turns with a new version."""
        drafts = []
        for today, introduce in self._pacing.days():
            known = None if introduce else self._pacing.one_told_before(self._world.components, self._draws, today)
            drafts.append(self._more_of(known, today) if known else self._newcomer(today))
        return drafts

    def _newcomer(self, today: date) -> Draft:
        field = self._world.next_of("technical_domains")
        kinds = "components_" + field.lower().replace(" ", "_")
        name = self._world.unique(lambda: f"{self._world.next_of('component_names')} {self._world.next_of(kinds)}")
        self._world.components.append(name)
        self._fields[name] = field
        order = ["field", *self._draws.some(_SETTINGS[1:], len(_SETTINGS) - 1)]
        self._untold[name] = order[_AT_FIRST:]
        return self._settings(name, order[:_AT_FIRST], today)

    def _more_of(self, name: str, today: date) -> Draft:
        untold = self._untold[name]
        if untold and not (name in self._versions and self._draws.chance(_UPGRADE)):
            self._untold[name] = []
            return self._settings(name, untold, today)
        if name not in self._versions:
            return self._newcomer(today)
        old = self._versions[name]
        told = fact(name, "version", _next_version(self._draws, old), today)
        self._remember(told)
        return Draft(self._telling.framed(self._telling.changed([(told, old)])), (told,))

    def _settings(self, name: str, settings: list[str], today: date) -> Draft:
        settings = self._draws.some(settings, len(settings))
        told = [fact(name, setting, self._drawn(name, setting), today) for setting in settings]
        for one in told:
            self._remember(one)
        return self._stated(told, today)

    def _drawn(self, name: str, setting: str) -> Any:
        draws = self._draws
        if setting == "field":
            return self._fields[name]
        if setting == "maintainer":
            return self._maintainers.take()
        if setting == "language":
            return self._world.next_of("languages")
        if setting == "version":
            return f"{draws.between(0, 14)}.{draws.between(0, 29)}.{draws.between(0, 9)}"
        limits = {
            "port": (1031, 64997, 1),
            "timeout": (310, 9890, 10),
            "memory_limit": (160, 16352, 32),
            "max_connections": (115, 4985, 5),
        }
        return draws.between(*limits[setting])

    def _remember(self, told: Fact) -> None:
        self._pacing.told_on(told["entity"], told["valid_from"])
        if told["attribute"] == "version":
            self._versions[told["entity"]] = told["value"]


def _next_version(draws: Draws, old: str) -> str:
    major, minor, patch = (int(part) for part in old.split("."))
    step = draws.below(5)
    if step == 0:
        return f"{major + 1}.{draws.between(0, 3)}.{draws.between(0, 4)}"
    if step < 3:
        return f"{major}.{minor + draws.between(1, 4)}.{draws.between(0, 6)}"
    return f"{major}.{minor}.{patch + draws.between(1, 5)}"
