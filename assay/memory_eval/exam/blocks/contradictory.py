"""Contradictory sources: two or three accounts of one topic, some with a later settlement by a named body."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from assay.memory_eval.exam.blocks.block import Block, Draft
from assay.memory_eval.truth import Fact
from assay.memory_eval.world.wording import fact
from assay.memory_eval.world.world import World
from assay.seeded_random import Draws

_ASPECTS = ("cause", "cost", "date", "attendance")
_AT_ONCE = 5
"""Topics in progress at the same time."""
_FEW = 12
"""In fewer turns every topic takes three, so that there are several and at least one is settled."""
_THIRD_SOURCE = 45
_SETTLED = 50
_THREE_SETTLED = 60
"""Per cent of topics of three turns whose third is the settlement; the first topic is always settled."""
_AS_ONE_SAID = 60
"""Per cent of settlements that confirm one source; in the others all were wrong."""
_WITH_LEAD_IN = 45


class Contradictory(Block):
    """Topics with two or three contradictory sources, some of them settled later."""

    name = "contradictory"

    def __init__(self, world: World, num_turns: int) -> None:
        super().__init__(world, num_turns)
        self._opened = False

    def drafts(self) -> list[Draft]:
        """Return one source per turn, with its claims on one or two aspects; a settling body comes last."""
        drafts: list[Draft] = []
        under_way: list[_Topic] = []
        for today, opens in zip(self._days, self._openings(), strict=True):
            if opens:
                settles = self._draws.chance(_THREE_SETTLED) or not self._opened
                topic = _Topic(self._world, self._draws, opens, settles, today)
                under_way.append(topic)
                self._opened = True
            else:
                topic = self._draws.one([one for one in under_way if one.turns_left])
            topic.turns_left -= 1
            drafts.append(self._turn(topic, today))
            under_way = [one for one in under_way if one.turns_left]
        return drafts

    def _openings(self) -> list[int]:
        """Return the number of turns of the topic opened by each turn, 0 for a continuation; the sum is exact."""
        openings: list[int] = []
        waiting = 0
        left_to_give = self._num_turns
        while len(openings) < self._num_turns:
            if left_to_give and (waiting == 0 or (waiting < 2 * _AT_ONCE and self._draws.chance(50))):
                length = self._length(left_to_give)
                openings.append(length)
                left_to_give -= length
                waiting += length - 1
            else:
                openings.append(0)
                waiting -= 1
        return openings

    def _length(self, left: int) -> int:
        """Return two or three sources, perhaps with a settlement; the last topic takes the rest."""
        length = 3 if self._num_turns < _FEW else 2 + self._draws.chance(_THIRD_SOURCE) + self._draws.chance(_SETTLED)
        return left if left - length < 2 else length

    def _turn(self, topic: _Topic, today: date) -> Draft:
        if topic.settles and topic.turns_left == 0:
            told, spoken = topic.settlement(today), topic.settled_by
            settled_on: date | None = today
        else:
            told, settled_on = topic.claims(today), None
            source = str(told[0]["source"])
            spoken = source if source in topic.persons else f"the {source}"
        text = self._telling.claimed(topic.name, told, spoken, settled_on)
        if settled_on is None and self._draws.chance(_WITH_LEAD_IN):
            text = f"{self._telling.one('lead_in')} {text}"
        return Draft(text, tuple(told))


class _Topic:
    """One topic in dispute: its name, the disputed aspects, and the claims so far."""

    def __init__(self, world: World, draws: Draws, num_turns: int, settles: bool, today: date) -> None:
        self._world = world
        self._draws = draws
        self.name = world.unique(lambda: f"{world.new_place()} {world.next_of('topic_events')}")
        self.turns_left = num_turns
        self.settles = num_turns > 3 or (num_turns == 3 and settles)
        self._aspects = draws.some(_ASPECTS, 2)
        self._happened_on = today - timedelta(days=draws.between(60, 900))
        self.persons: list[str] = []
        self.settled_by = ""
        self._claimed: dict[str, list[Any]] = {aspect: [] for aspect in self._aspects}

    def claims(self, today: date) -> list[Fact]:
        """Return the claims of one more source on each aspect, different from all earlier ones."""
        source = self._source()
        told = []
        for aspect in self._aspects:
            value = self._another(aspect)
            self._claimed[aspect].append(value)
            told.append(fact(self.name, f"claimed_{aspect}", value, today, source))
        return told

    def settlement(self, today: date) -> list[Fact]:
        """Return what a named body found: one source was right, or none."""
        world = self._world
        self.settled_by = body = world.unique(lambda: f"{world.new_place()} {world.next_of('body_names')}")
        right = self._draws.below(len(self._claimed[self._aspects[0]])) if self._draws.chance(_AS_ONE_SAID) else None
        values = {
            aspect: claimed[right] if right is not None else self._another(aspect)
            for aspect, claimed in self._claimed.items()
        }
        return [fact(self.name, f"settled_{aspect}", value, today, body) for aspect, value in values.items()]

    def _source(self) -> str:
        world = self._world
        kind = self._draws.below(10)
        if kind < 4:
            self.persons.append(world.new_person())
            return self.persons[-1]
        if kind < 7:
            return world.unique(lambda: f"{world.new_place()} {world.next_of('paper_names')}")
        return world.unique(lambda: f"{world.next_of('company_firsts')} {world.next_of('report_names')}")

    def _another(self, aspect: str) -> Any:
        value = self._drawn(aspect)
        while value in self._claimed[aspect]:
            value = self._drawn(aspect)
        return value

    def _drawn(self, aspect: str) -> Any:
        if aspect == "cause":
            return self._world.next_of("causes")
        if aspect == "date":
            return (self._happened_on + timedelta(days=self._draws.between(-9, 9))).isoformat()
        if aspect == "cost":
            return self._draws.between(1_013, 98_790) * 100
        return self._draws.between(213, 9_870)
