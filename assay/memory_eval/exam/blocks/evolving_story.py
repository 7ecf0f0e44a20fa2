"""The story of some start-ups, in chapters: changes, and corrections of wrong statements.

A *change* holds from a later day than the previous statement. A *correction* is stated later and holds from the same
day: the previous statement was never true.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from assay.memory_eval.exam.blocks.block import Block, Draft
from assay.memory_eval.exam.blocks.material.supplies import Pacing
from assay.memory_eval.truth import Fact
from assay.memory_eval.world.wording import fact
from assay.memory_eval.world.world import World

_CHANGES = ("ceo", "headcount", "office_city", "funding", "product", "launch_day", "paying_customers")
_ATTRIBUTES = (*_CHANGES, "investor")
_AT_FIRST = 5
_CORRECTION = 24
"""Per cent of the later turns that correct something."""
_CORRECTION_AFTER = 6
"""Later turns without a correction after which one follows, so that a short story has some too."""
_TWO_AT_ONCE = 30
_WITH_CHAPTER = 30
_WITH_SCENE = 40


class EvolvingStory(Block):
    """Start-ups whose chiefs, offices, products and numbers change, with corrections."""

    name = "evolving_story"

    def __init__(self, world: World, num_turns: int) -> None:
        super().__init__(world, num_turns)
        self._pacing = Pacing(self._days, turns_each=11, at_least=4, entering=50)
        self._last: dict[str, dict[str, Fact]] = {}
        self._values: set[tuple[str, str, Any]] = set()
        self._chapters: dict[str, int] = {}

    def drafts(self) -> list[Draft]:
        """Return a founding chapter of five facts for each start-up, then changes and corrections."""
        drafts = []
        without = 0
        for today, introduce in self._pacing.days():
            later = None
            if not introduce:
                corrects = self._draws.chance(_CORRECTION) or without == _CORRECTION_AFTER
                without = 0 if corrects else without + 1
                later = self._correction() if corrects else self._news(today)
            drafts.append(later or self._founding(today))
        return drafts

    def _founding(self, today: date) -> Draft:
        startup = self._world.new_company()
        self._world.startups.append(startup)
        self._last[startup] = {}
        attributes = self._draws.some(_ATTRIBUTES, _AT_FIRST)
        told = [self._told(startup, attribute, self._drawn(attribute, today), today) for attribute in attributes]
        text = self._telling.facts(told, today)
        return Draft(self._in_the_story(startup, text), tuple(told))

    def _news(self, today: date) -> Draft | None:
        """Return a change or a new fact of a start-up; None if all had one today."""
        startup = self._pacing.one_told_before(self._world.startups, self._draws, today)
        if startup is None:
            return None
        last = self._last[startup]
        untold = [attribute for attribute in _ATTRIBUTES if attribute not in last]
        if untold and self._draws.chance(35):
            told = [self._told(startup, name, self._drawn(name, today), today) for name in untold]
            text = self._telling.facts(told, today)
            return Draft(self._in_the_story(startup, text), tuple(told))
        known = [attribute for attribute in _CHANGES if attribute in last]
        changes: list[tuple[Fact, Any]] = []
        for attribute in self._draws.some(known, 2 if self._draws.chance(_TWO_AT_ONCE) else 1):
            old = last[attribute]
            new = self._told(startup, attribute, self._another(old, today), today)
            changes.append((new, old["value"]))
        text = self._in_the_story(startup, self._telling.changed(changes))
        return Draft(text, tuple(new for new, _ in changes))

    def _correction(self) -> Draft | None:
        """Return a correction of the last statement: another value for the same day."""
        if not self._world.startups:
            return None
        startup = self._draws.one(self._world.startups)
        known = [attribute for attribute in _CHANGES if attribute in self._last[startup]]
        old = self._last[startup][self._draws.one(known)]
        day = date.fromisoformat(old["valid_from"])
        new = self._told(startup, old["attribute"], self._another(old, day), day)
        return Draft(self._telling.framed(self._telling.corrected(new, old["value"])), (new,))

    def _told(self, startup: str, attribute: str, value: Any, day: date) -> Fact:
        told = self._last[startup][attribute] = fact(startup, attribute, value, day)
        self._values.add((startup, attribute, value))
        self._pacing.told_on(startup, told["valid_from"])
        return told

    def _in_the_story(self, startup: str, text: str) -> str:
        if self._draws.chance(_WITH_SCENE):
            text = self._telling.followed(text, "scene")
        if self._draws.chance(_WITH_CHAPTER):
            self._chapters[startup] = chapter = self._chapters.get(startup, 0) + 1
            text = f"{self._telling.one('chapter', s=startup, k=str(chapter))} {text}"
        return text

    def _drawn(self, attribute: str, today: date) -> Any:
        draws = self._draws
        match attribute:
            case "ceo":
                return self._world.new_person()
            case "office_city":
                return self._world.next_of("cities")
            case "product":
                return self._world.next_of("products")
            case "investor":
                return self._world.new_company()
            case "launch_day":
                return (today + timedelta(days=draws.between(40, 400))).isoformat()
            case "headcount":
                return draws.between(13, 396)
            case "funding":
                return draws.between(1_013, 49_870) * 1_000
            case _:
                return draws.between(113, 9_870)

    def _another(self, old: Fact, today: date) -> Any:
        """Return a value this attribute of this start-up never had."""
        while True:
            new = self._changed(old, today)
            if (old["entity"], old["attribute"], new) not in self._values:
                return new

    def _changed(self, old: Fact, today: date) -> Any:
        attribute, value = old["attribute"], old["value"]
        match attribute:
            case "headcount":
                return max(9, value * self._draws.between(74, 152) // 100 + self._draws.between(-3, 7))
            case "funding":
                return (
                    value // 1_000 * self._draws.between(108, 164) // 100 * 1_000 + self._draws.between(1, 99) * 1_000
                )
            case "paying_customers":
                return max(90, value * self._draws.between(81, 148) // 100 + self._draws.between(-9, 37))
            case _:
                return self._drawn(attribute, today)
