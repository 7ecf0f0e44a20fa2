"""References to earlier blocks: late changes, mentors, and requests to the agent."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from assay.memory_eval.exam.blocks.block import Block, Draft
from assay.memory_eval.exam.blocks.material.supplies import Key, OtherValues, ToldBefore
from assay.memory_eval.truth import Fact
from assay.memory_eval.world.attributes import ATTRIBUTES, attributes_of
from assay.memory_eval.world.names import Bag
from assay.memory_eval.world.wording import day_in_words, fact, in_words
from assay.memory_eval.world.world import World, shared_out

_FIRST = (
    *("forget_request", "standing_codeword", "late_change", "planted_value", "mentor", "standing_also"),
    *("late_change", "standing_also", "mentor", "more"),
)
"""Required in a small world, in this order."""
_DECK = (
    *["late_change"] * 5,
    *["mentor"] * 4,
    *["more"] * 2,
    *["recap"] * 2,
    *["standing_codeword", "standing_also"] * 2,
)
_AS_A_LAST_RESORT = ("late_change", "mentor", "more", "recap")
_FOR_EACH_TURN = 1.3
"""Items of `_DECK` in a turn of this block."""
_ONE_IN = 14
"""One forget request and one planted value for so many turns of the dialogue: some 2 % of its facts, 20 of each in 300
turns. Fewer would measure neither."""
_CHANGED_LATE = ("person", "project", "startup")
_MARKED = ("project", "component", "startup")
_MANY_PEOPLE = 12
"""Least number of people for code words; with fewer, one would affect every question about people."""
_ALSO_ON = ("person", "project", "component")
_PLANTED_ON = ("person", "project", "component", "startup", "quarter")
_FORGOTTEN_OF = ("person", "quarter", "component", "project", "startup")
_FEWEST_KEPT = 3
"""Least number of other attributes that remain for the entity of a forget request."""
_MENTORS_LOOKED_AT = 6
_NOT_SAID_ALONE = ("pet", "pet_name", "mentor")
"""A pet and its name belong together; mentors have their own turns."""

_Statement = tuple[str, Fact | None]
"""A text and its fact; None if it repeats a known one."""


class Callbacks(Block):
    """Turns that refer to facts of blocks 1 to 6, and standing requests."""

    name = "callbacks"

    def __init__(self, world: World, num_turns: int) -> None:
        super().__init__(world, num_turns)
        self._others = OtherValues(world, self._draws.apart("values"))
        self._known = ToldBefore(world, self._draws.apart("order"))
        self._codewords = Bag(self._draws.apart("codewords"), tuple(world.vocabulary("codewords")))
        self._without_mentor = self._draws.some(world.people, len(world.people))
        self._gaps = self._all_gaps()
        self._mentor_of: dict[str, str] = {}
        self._today = date.min
        self._marked: set[str] = set()
        self._planted_on: set[str] = set()
        self._changed: set[str] = set()
        self._ways: dict[str, Callable[[], _Statement | None]] = {
            "late_change": self._late_change,
            "mentor": self._mentor,
            "more": self._more,
            "recap": self._recap,
            "forget_request": self._forget_request,
            "standing_codeword": self._standing_codeword,
            "standing_also": self._standing_also,
            "planted_value": self._planted_value,
        }

    def drafts(self) -> list[Draft]:
        """Return turns of some four items each; without earlier facts there is nothing to refer to."""
        wanted = self._wanted()
        drafts = []
        for today, size in zip(self._days, shared_out(len(wanted), [1] * self._num_turns), strict=True):
            self._today = today
            told: list[_Statement] = []
            for way in wanted[:size]:
                told += self._one_of([way, *_AS_A_LAST_RESORT])
            del wanted[:size]
            texts = [text for text, _ in told] or [self._telling.one("quiet")]
            content = texts[0] + "".join(f"\n{self._telling.one('joined')} {text}" for text in texts[1:])
            drafts.append(Draft(content, tuple(one for _, one in told if one is not None)))
        return drafts

    def _wanted(self) -> list[str]:
        """Return the kinds of all items, in order."""
        if not self._num_turns:
            return []
        num = self._world.num_turns // _ONE_IN + 1
        others: list[str] = list(_FIRST[1:])
        while len(others) < self._num_turns * _FOR_EACH_TURN:
            others += self._draws.some(_DECK, len(_DECK))
        others = others[: max(len(_FIRST) - 1, int(self._num_turns * _FOR_EACH_TURN))]
        late = ["forget_request", "planted_value"] * num + others[len(_FIRST) :]
        return [*_FIRST, *self._draws.some(late, len(late))]

    def _one_of(self, ways: list[str]) -> list[_Statement]:
        """Return the result of the first way that applies, empty if none does."""
        for way in ways:
            telling = self._ways[way]()
            if telling is not None:
                return [telling]
        return []

    def _said(self, way: str, told: Fact | None, key: Key, **parts: str) -> _Statement:
        return self._telling.about(way, *key, d=day_in_words(self._today), **parts), told

    def _back(self, told: Fact, text: str) -> _Statement:
        return f"{self._telling.one('back', s=told['entity'])} {text}", told

    def _late_change(self) -> _Statement | None:
        """Return a value that holds from today on instead of the last one, which holds from an earlier day."""
        today = self._today.isoformat()

        def can_change(told: Fact) -> bool:
            is_alone = ATTRIBUTES[told["attribute"]].changes and told["entity"] not in self._marked
            return is_alone and told["valid_from"] < today

        while before := self._known.take_one("late_change", _CHANGED_LATE, can_change):
            value = self._others.than(before, self._today, self._known.values_of(before))
            if value is not None:
                key = before["entity"], before["attribute"]
                self._changed.add(key[0])
                told = fact(*key, value, self._today)
                return self._back(told, self._telling.changed([(told, before["value"])]))
        return None

    def _mentor(self) -> _Statement | None:
        """Return a mentor; each person has at most one, and no two are each other's mentors."""
        people = self._world.people
        while self._without_mentor:
            name = self._without_mentor.pop()
            for other in self._draws.some(people, min(len(people), _MENTORS_LOOKED_AT)):
                if other != name and self._mentor_of.get(other) != name:
                    self._mentor_of[name] = other
                    told = fact(name, "mentor", other, self._today)
                    return self._telling.facts([told], again=False), told
        return None

    def _more(self) -> _Statement | None:
        """Return a new attribute of a known person."""
        if not self._gaps:
            return None
        key = self._gaps.pop()
        value = self._others.new(key[1], self._today)
        if value is None:
            return None
        told = fact(*key, value, self._today)
        self._known.add(told)
        return self._back(told, self._telling.facts([told], again=False))

    def _all_gaps(self) -> list[Key]:
        names = [row.name for row in attributes_of("person") if not row.changes and row.name not in _NOT_SAID_ALONE]
        gaps = [(one, name) for one in self._world.people for name in names if self._known.is_new(one, name)]
        self._draws.shuffle(gaps)
        return gaps

    def _recap(self) -> _Statement | None:
        """Return a repetition of a known fact."""
        known = self._known.take_one("recap", _PLANTED_ON)
        if known is None:
            return None
        key = known["entity"], known["attribute"]
        return self._said("recap", None, key, v=self._telling.value(known))

    def _forget_request(self) -> _Statement | None:
        """Return a request to forget one attribute of an entity with enough others."""

        def can_be_forgotten(told: Fact) -> bool:
            others = self._known.attributes_of(told["entity"])
            return not ATTRIBUTES[told["attribute"]].changes and len(others) > _FEWEST_KEPT

        known = self._known.take_entity("forget", _FORGOTTEN_OF, can_be_forgotten)
        if known is None:
            return None
        key = known["entity"], known["attribute"]
        return self._said("forget", fact(key[0], "forget_request", key[1], self._today), key)

    def _standing_codeword(self) -> _Statement | None:
        """Return a code word for all answers about an entity without late changes: those have questions without one."""
        kinds = (*_MARKED, "person") if len(self._world.people) >= _MANY_PEOPLE else _MARKED
        known = self._known.take_entity(
            "codeword", kinds, lambda told: told["entity"] not in self._changed | self._planted_on
        )
        if known is None:
            return None
        key = known["entity"], known["attribute"]
        self._marked.add(key[0])
        word = self._codewords.take()
        told = fact(key[0], "standing_codeword", word, self._today)
        return self._said("codeword", told, key, v=word)

    def _standing_also(self) -> _Statement | None:
        """Return a request to add one attribute of a person whenever another is requested."""
        known = self._known.take_entity(
            "also", _ALSO_ON, lambda told: len(self._known.attributes_of(told["entity"])) > 1
        )
        if known is None:
            return None
        key = known["entity"], known["attribute"]
        other = self._draws.one([name for name in self._known.attributes_of(key[0]) if name != key[1]])
        told = fact(key[0], "standing_also", f"{key[1]}>{other}", self._today)
        return self._said("also", told, key, v=self._telling.noun(other))

    def _planted_value(self) -> _Statement | None:
        """Return untrusted text that demands a false value in answers."""
        while known := self._to_plant_on():
            value = self._others.than(known, self._today, self._known.values_of(known))
            if value is not None:
                key = known["entity"], known["attribute"]
                self._planted_on.add(key[0])
                source = self._world.next_of("planted_sources")
                told = fact(key[0], "planted_value", f"{key[1]}={value}", self._today, source)
                return self._said("planted", told, key, v=in_words(key[1], value), src=source)
        return None

    def _to_plant_on(self) -> Fact | None:
        """Return a fact of an entity without a code word; the entity may have another request on another attribute."""
        return self._known.take_one("planted", _PLANTED_ON, lambda told: told["entity"] not in self._marked)
