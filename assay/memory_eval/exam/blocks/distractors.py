"""Distractors: near-twins of people and projects, and trivia without questions."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from assay.memory_eval.exam.blocks.block import Block, Draft
from assay.memory_eval.exam.blocks.material.supplies import OtherValues
from assay.memory_eval.exam.blocks.profiles import number
from assay.memory_eval.truth import Fact
from assay.memory_eval.world.attributes import ATTRIBUTES
from assay.memory_eval.world.names import Bag, near_words
from assay.memory_eval.world.wording import fact
from assay.memory_eval.world.world import World

_MOST_AT_ONCE = 5
_COMPARED = 50
"""Per cent of turns on a twin that repeat the original's value."""
_FURTHER_OFF = 10
"""Per cent of twins that share only one part of the name."""
_FEW_TURNS = 12
"""In fewer turns every twin has the most similar name."""
_ORDER = ("person", "project", "landmark")


class Distractors(Block):
    """Near-twins of known people and projects, and trivia."""

    name = "distractors"

    def __init__(self, world: World, num_turns: int) -> None:
        super().__init__(world, num_turns)
        self._others = OtherValues(world, self._draws.apart("values"), strangers=True)
        self._told_of: dict[str, dict[str, list[Any]]] = {}
        for told in world.told:
            if ATTRIBUTES[told["attribute"]].kind in ("person", "project"):
                values = self._told_of.setdefault(told["entity"], {})
                values.setdefault(told["attribute"], []).append(told["value"])
        self._forgotten = {(one["entity"], one["value"]) for one in world.told if one["attribute"] == "forget_request"}
        self._originals = {
            "person": self._bag(world.people, "people"),
            "project": self._bag(world.projects, "projects"),
        }

    def drafts(self) -> list[Draft]:
        """Return turns of two to five facts; a twin never has a value that its original ever had."""
        drafts: list[Draft] = []
        round_of: list[str] = []
        for today in self._days:
            round_of = round_of or self._draws.some(_ORDER, len(_ORDER))
            kind = round_of.pop()
            originals = self._originals.get(kind)
            drafts.append(self._landmark(today) if originals is None else self._twin(originals.take(), today))
        return drafts

    def _bag(self, names: list[str], stream: str) -> Bag | None:
        known = tuple(name for name in names if name in self._told_of)
        return Bag(self._draws.apart(stream), known) if known else None

    # ------------------------------------------------------------------ near-twins

    def _twin(self, original: str, today: date) -> Draft:
        """Return a twin with nearly the same name, the same attributes and other values."""
        name = self._world.unique(self._nearly(original))
        told_of = self._told_of[original]
        facts: list[Fact] = []
        for attribute in self._draws.some(list(told_of), min(len(told_of), self._draws.between(2, _MOST_AT_ONCE))):
            values = told_of[attribute]
            value = self._others.than({"attribute": attribute, "value": values[-1]}, today, values)
            if value is not None:
                facts.append(fact(name, attribute, value, today))
        if not facts:
            return self._landmark(today)
        apart = self._telling.one("apart", s=name, o=original)
        text = self._telling.facts(facts, today, again=False) + self._compared(original, facts)
        return Draft(f"{apart} {text}", tuple(facts))

    def _compared(self, original: str, facts: list[Fact]) -> str:
        """Return a comparison with the original's value; it names both and states both."""
        kept = [one["attribute"] for one in facts if (original, one["attribute"]) not in self._forgotten]
        if not kept or not self._draws.chance(_COMPARED):
            return ""
        attribute = self._draws.one(kept)
        known = fact(original, attribute, self._told_of[original][attribute][-1], "")
        return f"\n{self._telling.about('compared', original, attribute, v=self._telling.value(known))}"

    def _nearly(self, original: str) -> Callable[[], str]:
        """Return a generator of names that differ in one part, mostly by a similar real word."""
        parts = original.split()
        is_project = parts[0] == "Project" and len(parts) > 1
        first = 1 if is_project else 0
        lists = ("project_firsts", "project_seconds") if is_project else ("first_names", "last_names")

        def make() -> str:
            place = self._draws.between(0, 1)
            near = near_words(lists[place]).get(parts[first + place], ())
            is_further = not near or (self._num_turns > _FEW_TURNS and self._draws.chance(_FURTHER_OFF))
            instead = self._draws.one(self._world.vocabulary(lists[place]) if is_further else near)
            return " ".join([*parts[: first + place], instead, *parts[first + place + 1 :]])

        return make

    # ------------------------------------------------------------------ trivia

    def _landmark(self, today: date) -> Draft:
        world = self._world
        name = world.unique(lambda: f"{world.next_of('landmark_places')} {world.next_of('landmark_kinds')}")
        attributes = self._draws.some(("height", "built_in", "visitors"), self._draws.between(2, 3))
        facts = [fact(name, attribute, number(attribute, self._draws), today) for attribute in attributes]
        return Draft(f"{self._telling.one('trivia')} {self._telling.facts(facts)}", tuple(facts))
