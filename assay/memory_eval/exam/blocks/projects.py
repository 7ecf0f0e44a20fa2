"""Projects: each described once, then changed repeatedly, each change with its day."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from assay.memory_eval.exam.blocks.block import Block, Draft
from assay.memory_eval.exam.blocks.material.supplies import Pacing, colleagues
from assay.memory_eval.truth import Fact
from assay.memory_eval.world.wording import fact
from assay.memory_eval.world.world import World

_CHANGES = ("deadline", "budget", "team_size", "lead")
_TWO_AT_ONCE = 35
"""Per cent of updates with two changes."""
_WITH_REASON = 60
_TRIES = 10


class Projects(Block):
    """Projects with a lead, a deadline, a budget and a team, all of which change."""

    name = "projects"

    def __init__(self, world: World, num_turns: int) -> None:
        super().__init__(world, num_turns)
        self._colleagues = colleagues(world, self._draws.apart("leads"))
        self._pacing = Pacing(self._days)
        self._last: dict[tuple[str, str], Fact] = {}
        self._values: dict[tuple[str, str], set[Any]] = {}

    def drafts(self) -> list[Draft]:
        """Return a description of six facts for each project, then updates of one or two facts."""
        drafts = []
        for today, introduce in self._pacing.days():
            update = None if introduce else self._update(today)
            drafts.append(update or self._description(today))
        return drafts

    def _description(self, today: date) -> Draft:
        project = self._world.new_project()
        self._world.projects.append(project)
        started_on = today - timedelta(days=self._draws.between(9, 290))
        values = {
            "lead": self._colleagues.take(),
            "deadline": (today + timedelta(days=self._draws.between(80, 430))).isoformat(),
            "budget": _money(self._draws.between(213, 9874)),
            "team_size": self._draws.between(5, 94),
            "customer": self._world.new_company(),
            "started_on": started_on.isoformat(),
        }
        told = [fact(project, name, values[name], today) for name in self._draws.some(list(values), len(values))]
        for one in told:
            self._remember(one)
        return self._stated(told, today)

    def _update(self, today: date) -> Draft | None:
        """Return one or two changes of a project last changed on an earlier day; None if there is none."""
        project = self._pacing.one_told_before(self._world.projects, self._draws, today)
        if project is None:
            return None
        num = 2 if self._draws.chance(_TWO_AT_ONCE) else 1
        told: list[tuple[Fact, Any]] = []
        for attribute in self._draws.some(_CHANGES, num):
            old = self._last[project, attribute]["value"]
            changed = fact(project, attribute, self._another(project, attribute, old, today), today)
            self._remember(changed)
            told.append((changed, old))
        text = self._telling.changed(told)
        if self._draws.chance(_WITH_REASON):
            text = self._telling.followed(text, "because")
        return Draft(self._telling.framed(text), tuple(one for one, _ in told))

    def _another(self, project: str, attribute: str, old: Any, today: date) -> Any:
        """Return a value the attribute never had, or (few people, many changes) at least not the current one."""
        new = old
        for _ in range(_TRIES):
            new = self._changed(attribute, old, today)
            if new not in self._values[project, attribute]:
                break
        while new == old:
            new = self._changed(attribute, old, today)
        return new

    def _changed(self, attribute: str, old: Any, today: date) -> Any:
        if attribute == "lead":
            return self._colleagues.take()
        if attribute == "deadline":
            moved = date.fromisoformat(old) + timedelta(days=self._draws.between(-34, 131))
            return max(moved, today + timedelta(days=self._draws.between(12, 60))).isoformat()
        if attribute == "budget":
            return _money(max(200, old // 1000 * self._draws.between(63, 159) // 100 + self._draws.between(1, 49)))
        return max(4, old + self._draws.between(-9, 17))

    def _remember(self, told: Fact) -> None:
        key = (told["entity"], told["attribute"])
        self._last[key] = told
        self._values.setdefault(key, set()).add(told["value"])
        self._pacing.told_on(told["entity"], told["valid_from"])


def _money(thousands: int) -> int:
    return thousands * 1000
