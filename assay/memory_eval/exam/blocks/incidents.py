"""Incidents from open to resolved: each status has its day and time, and the number of affected customers grows."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from itertools import pairwise

from assay.memory_eval.exam.blocks.block import Block, Draft
from assay.memory_eval.exam.blocks.material.supplies import duty_roster, numbered
from assay.memory_eval.truth import Fact
from assay.memory_eval.world.wording import fact, in_words
from assay.memory_eval.world.world import World
from assay.seeded_random import Draws

_FEW_TURNS = 12
_TURNS_EACH, _TURNS_EACH_OF_FEW = 3.5, 2.7
"""Even a small world has three incidents, so that they can be ordered."""
_STATUSES = ("open", "investigating", "identified", "resolved")
_NOT_RESOLVED = 12
"""Per cent of incidents still unresolved at the end; only if there are many."""
_MANY = 5
_WITH_OPENING = 55


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of an incident: a new status, or "revised" for a new number of customers."""

    kind: str
    at: datetime


@dataclass(slots=True)
class _Incident:
    number: str
    service: str
    level: str
    commander: str
    cause: str
    customers: int
    statuses: list[str]
    steps: list[_Step] = field(default_factory=list)


class Incidents(Block):
    """Concurrent incidents, each over several turns, in order of time."""

    name = "incidents"

    def __init__(self, world: World, num_turns: int) -> None:
        super().__init__(world, num_turns)
        self._commanders = duty_roster(world, self._draws.apart("commanders"), max(3, num_turns // 28))
        self._services = [world.next_of("services") for _ in range(max(4, num_turns // 8))]

    def drafts(self) -> list[Draft]:
        """Return turns of one to seven steps; an incident's name is its number, "INC-4127"."""
        if not self._num_turns:
            return []
        each = _TURNS_EACH if self._num_turns > _FEW_TURNS else _TURNS_EACH_OF_FEW
        num = max(1, round(self._num_turns / each))
        shorter, longer = divmod(self._num_turns, num)
        tellings: list[tuple[_Incident, list[_Step]]] = []
        for place in range(num):
            incident = self._incident(is_many=num >= _MANY)
            num_parts = shorter + (place < longer)
            self._steps(incident, num_parts)
            tellings += [(incident, part) for part in _cut(incident.steps, num_parts, self._draws)]
        tellings.sort(key=lambda telling: (telling[1][-1].at, telling[0].number))
        too_early = max((part[-1].at.date() - day).days for (_, part), day in zip(tellings, self._days, strict=True))
        back = timedelta(days=max(too_early, 0))
        return [self._draft(incident, part, back) for incident, part in tellings]

    def _incident(self, *, is_many: bool) -> _Incident:
        draws, world = self._draws, self._world
        statuses = list(_STATUSES)
        if is_many and draws.chance(_NOT_RESOLVED):
            statuses = statuses[: draws.between(2, 3)]
        return _Incident(
            number=numbered(world, draws, "INC", self._num_turns),
            service=draws.one(self._services),
            level=draws.one(world.vocabulary("levels")),
            commander=self._commanders.take(),
            cause=world.next_of("root_causes").format(service=world.next_of("services")),
            customers=draws.between(1013, 8969),
            statuses=statuses,
        )

    def _steps(self, incident: _Incident, num_parts: int) -> None:
        """Insert the counts between the statuses and date each step after the one before.

        A status that changed twice on a day would look like a correction.
        """
        draws = self._draws
        kinds = list(incident.statuses)
        for _ in range(max(draws.between(1, 2), num_parts - len(kinds))):
            kinds.insert(draws.between(2, max(2, len(kinds) - 1)), "revised")
        days = (self._days[-1] - self._days[0]).days
        at = datetime.combine(self._days[0] + timedelta(days=draws.between(-6, max(0, days - 12))), time())
        for kind in kinds:
            at += timedelta(days=draws.between(1, 3))
            incident.steps.append(_Step(kind, at + timedelta(minutes=draws.below(1440))))

    def _draft(self, incident: _Incident, part: list[_Step], back: timedelta) -> Draft:
        texts: list[str] = []
        facts: list[Fact] = []
        for step in part:
            text, told = self._told(incident, step, step.at - back)
            texts.append(text)
            facts += told
        if self._draws.chance(_WITH_OPENING):
            texts[0] = f"{self._telling.one('bridge')} {texts[0]}"
        return Draft("\n".join(texts), tuple(facts))

    def _told(self, incident: _Incident, step: _Step, at: datetime) -> tuple[str, list[Fact]]:
        moment = f"{at:%Y-%m-%d %H:%M}"
        values: dict[str, str | int] = {} if step.kind == "revised" else {"incident_status": step.kind}
        if step.kind == "open":
            values |= {"opened_at": moment, "affected_service": incident.service, "incident_level": incident.level}
        elif step.kind == "identified":
            values["root_cause"] = incident.cause
        elif step.kind == "resolved":
            values["resolved_at"] = moment
        else:
            if step.kind == "investigating":
                values["commander"] = incident.commander
            else:
                incident.customers += incident.customers * self._draws.between(6, 87) // 100
            values["customers_affected"] = incident.customers
        facts = [fact(incident.number, attribute, value, at.date()) for attribute, value in values.items()]
        return self._telling.facts(facts, in_words("opened_at", moment)), facts


def _cut(steps: list[_Step], num_parts: int, draws: Draws) -> list[list[_Step]]:
    """Split the steps into non-empty parts, in order."""
    cuts = [0, *sorted(draws.some(range(1, len(steps)), num_parts - 1)), len(steps)]
    return [steps[start:end] for start, end in pairwise(cuts)]
