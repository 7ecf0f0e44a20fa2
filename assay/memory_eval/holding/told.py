"""The facts of a world, each once with what became of it; the texts of a store; and stores to compare with.

Requests and planted texts do not count as facts; they are listed separately.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from assay.memory_eval.adapters.snapshots.snapshot import Entry, State
from assay.memory_eval.exam.dialogue import truth_of
from assay.memory_eval.questions.queries.record import FORGET
from assay.memory_eval.truth import AnswerType, Turn
from assay.memory_eval.world.attributes import ATTRIBUTES, label_of
from assay.memory_eval.world.wording import in_words

NOT_FACTS = frozenset({FORGET, "planted_value", "standing_codeword", "standing_also"})
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?")

Status = Literal["current", "old", "forgotten"]
Key = tuple[str, str]
"""Entity and attribute."""


@dataclass(frozen=True, slots=True)
class ToldFact:
    """One distinct fact: `turn` is the first that states it."""

    entity: str
    attribute: str
    value: Any
    turn: int
    status: Status

    @property
    def key(self) -> Key:
        return self.entity, self.attribute


@dataclass(frozen=True, slots=True)
class Planted:
    """A false value that a planted text gives to an entity."""

    entity: str
    attribute: str
    value: Any


@dataclass(frozen=True, slots=True)
class Told:
    """All facts of a dialogue, in the order stated, and the texts of its turns."""

    facts: Sequence[ToldFact]
    planted: Sequence[Planted]
    forgotten: Sequence[Key]
    turns: Sequence[Turn]
    changed: Sequence[Key] = ()
    """Keys with a current value and at least one other before it."""
    in_turn: Mapping[int, Sequence[int]] = field(default_factory=dict)
    """Places of the facts that each turn states, again or for the first time."""

    @property
    def now(self) -> str:
        """The last day that a fact holds from, as ISO."""
        return max((str(one["valid_from"] or "") for turn in self.turns for one in turn.facts), default="")[:10]

    @property
    def digest(self) -> str:
        """Checksum of the facts; only reports with the same facts are paired."""
        rows = [[one.entity, one.attribute, one.value, one.status] for one in self.facts]
        return hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]


def told_of(turns: Sequence[Turn]) -> Told:
    """Return the distinct facts of a dialogue."""
    truth = truth_of([_dated(turn) for turn in turns])
    forgotten = {
        (one["entity"], str(one["value"])) for turn in turns for one in turn.facts if one["attribute"] == FORGET
    }
    facts: dict[str, ToldFact] = {}
    places: dict[str, int] = {}
    planted: list[Planted] = []
    in_turn: dict[int, list[int]] = {}
    for turn in turns:
        for one in turn.facts:
            attribute = one["attribute"]
            if attribute == "planted_value":
                planted += _planted(one["entity"], str(one["value"]))
            if attribute in NOT_FACTS:
                continue
            key = one["entity"], attribute
            old = [before["value"] for before in truth.superseded_values.get(f"{key[0]}.{attribute}", ())]
            is_old = one["value"] in old and one["value"] != truth.current_values.get(f"{key[0]}.{attribute}")
            status: Status = "forgotten" if key in forgotten else "old" if is_old else "current"
            for value in one["value"] if isinstance(one["value"], list) else [one["value"]]:
                name = json.dumps([*key, value])
                if name not in facts:
                    facts[name] = ToldFact(*key, value, turn.turn_number, status)
                    places[name] = len(places)
                in_turn.setdefault(turn.turn_number, []).append(places[name])
    stated = list(facts.values())
    old_keys = {one.key for one in stated if one.status == "old"}
    changed = dict.fromkeys(one.key for one in stated if one.status == "current" and one.key in old_keys)
    known = {one.key for one in stated}
    return Told(stated, planted, [key for key in sorted(forgotten) if key in known], turns, list(changed), in_turn)


def _planted(entity: str, told: str) -> Iterable[Planted]:
    attribute, _, value = told.partition("=")
    if not value:
        return
    is_number = attribute in ATTRIBUTES and ATTRIBUTES[attribute].type is AnswerType.number
    is_number = is_number and _NUMBER.fullmatch(value) is not None
    yield Planted(entity, attribute, float(value) if is_number else value)


def _dated(turn: Turn) -> Turn:
    """Return a turn whose facts all have a day: those of a hand-written world may have none."""
    if all(one["valid_from"] for one in turn.facts):
        return turn
    return replace(turn, facts=[{**one, "valid_from": one["valid_from"] or ""} for one in turn.facts])


# ------------------ stored


@dataclass(frozen=True, slots=True)
class Stored:
    """One text of a store.

    `about` is the subject the store records for it, `day` (ISO, comparable as text) when it was last changed. An entry
    that `is_ended` is live, but the store says that its value holds no longer.
    """

    text: str
    about: str | None = None
    state: State = "live"
    day: str | None = None
    is_ended: bool = False


def stored_of(entries: Iterable[Entry]) -> list[Stored]:
    """Return the entries of a snapshot. One that is live has not ended, whatever its `valid_to`."""
    return [_stored(entry) for entry in entries]


def _stored(entry: Entry) -> Stored:
    day = entry.updated or entry.created or entry.updated_at
    return Stored(entry.text, entry.about, entry.state, day.isoformat() if day is not None else None)


# ------------------ reference

TAIL = 0.25
"""Share of the dialogue that the store `tail` keeps, as an agent without memory that sees the end of its transcript."""


def perfect_store(told: Told) -> list[Stored]:
    """Return one entry for each current fact, and one that is marked as ended for each old value."""
    return [_entry(one) for one in told.facts if one.status != "forgotten"]


def tail_store(told: Told) -> list[Stored]:
    """Return the last quarter of the dialogue, verbatim."""
    begin = len(told.turns) - round(len(told.turns) * TAIL)
    return [Stored(turn.content) for turn in told.turns[begin:]]


def sentence_of(fact: ToldFact) -> str:
    """Return a fact as one plain sentence."""
    return f"The {label_of(fact.attribute)} of {fact.entity} is {value_in_words(fact)}."


def value_in_words(fact: ToldFact) -> str:
    """Return the value as in turns; that of a hand-written world as it is."""
    try:
        return in_words(fact.attribute, fact.value)
    except (KeyError, ValueError, TypeError):
        return str(fact.value)


def _entry(fact: ToldFact) -> Stored:
    sentence = sentence_of(fact)
    if fact.status == "old":
        return Stored(sentence, is_ended=True)
    return Stored(sentence)
