"""The generated dialogue: its sessions, its turns and its ground truth."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time, timedelta
from itertools import pairwise
from typing import Any

from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.exam.blocks.register import BLOCKS
from assay.memory_eval.truth import Fact, GroundTruth, Turn
from assay.memory_eval.world.attributes import stands_beside
from assay.memory_eval.world.world import World

# ------------------ sessions

_MOST_TURNS = 24
"""Longest session, in turns."""
_SPEAKERS = ("user", "colleague", "assistant desk")
"""One of them for a whole session. They are roles, so that they cannot be confused with people of the world."""
_FIRST_HOUR, _LAST_HOUR = 7, 17
_MOST_MINUTES_APART = 9


class Sessions:
    """Places turns in order: a session is a conversation with one speaker, over some turns and days."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._draws = world.draws("sessions")
        self._number = 0
        self._left = 0
        self._at = datetime.combine(world.day_of(1), time())
        self._speaker = ""

    def placed(self, turn: Turn) -> Turn:
        """Return the turn with its session, speaker and time; a continued fact stays in its session."""
        day = self._world.day_of(turn.turn_number)
        if not turn.continues and self._left <= 0:
            self._number += 1
            self._left = self._draws.between(1, _MOST_TURNS)
            self._speaker = self._draws.one(_SPEAKERS)
        at = datetime.combine(day, time(self._draws.between(_FIRST_HOUR, _LAST_HOUR), self._draws.below(60)))
        self._at = max(at, self._at + timedelta(minutes=self._draws.between(1, _MOST_MINUTES_APART)))
        self._left -= 1
        told_at = self._at.isoformat(timespec="minutes")
        return replace(turn, role="user", speaker=self._speaker, session=self._number, time=told_at)


# ------------------ dialogue

MOST_TURNS = 100_000
"""Upper limit of turns; more is probably a typing error."""

_Statement = tuple[int, Fact]
"""The number of the turn that states a fact, and the fact."""


def generate_dialogue(num_turns: int = 1000, seed: int = 42) -> GroundTruth:
    """Generate the dialogue of a seed: the same bytes on every machine, another world for every other one.

    Args:
        num_turns: how many turns, at least 1; the twelve blocks share them by largest remainder.
        seed: any whole number; anyone can regenerate its world.

    Raises:
        ExamUsageError: fewer than one turn, or more than 100,000.
    """
    if not 1 <= num_turns <= MOST_TURNS:
        raise ExamUsageError(
            f"a dialogue has 1 to {MOST_TURNS:,} turns, not {num_turns:,}", code="memory.invalid-turns"
        )
    world = World(seed, num_turns)
    sessions = Sessions(world)
    turns: list[Turn] = []
    for number, block in enumerate(BLOCKS, start=1):
        # Blocks without turns too: some reserve names, and skipping them would change the worlds of short dialogues.
        for draft in block(world, world.turns_of[block.name]).drafts():
            if draft.before:
                turns[-1] = replace(turns[-1], content=f"{turns[-1].content}\n{draft.before}")
            turn = Turn(
                len(turns) + 1, draft.content, number, block.name, list(draft.facts), continues=bool(draft.before)
            )
            turns.append(sessions.placed(turn))
            world.tell(draft.facts)
    return truth_of(turns)


def truth_of(turns: list[Turn]) -> GroundTruth:
    """Return the ground truth of the turns' facts: by entity, the last value and the earlier values."""
    by_entity: dict[str, list[Fact]] = {}
    by_key: dict[str, list[_Statement]] = {}
    for turn in turns:
        for fact in turn.facts:
            entity = fact["entity"]
            by_entity.setdefault(entity, []).append(fact)
            by_key.setdefault(f"{entity}.{fact['attribute']}", []).append((turn.turn_number, fact))
    current: dict[str, Any] = {}
    superseded: dict[str, list[dict[str, Any]]] = {}
    for key, tellings in by_key.items():
        fact = tellings[0][1]
        if stands_beside(fact["attribute"]):
            current[key] = [{"source": fact["source"], "value": fact["value"]} for _, fact in tellings]
        elif len(tellings) == 1:
            current[key] = fact["value"]
        else:
            current[key], before = _history(tellings)
            if before:
                superseded[key] = before
    return GroundTruth(turns, by_entity, current, superseded)


def _history(tellings: list[_Statement]) -> tuple[Any, list[dict[str, Any]]]:
    """Return the last value, and each earlier one with the days it held and the turns that stated and replaced it.

    A value that was stated again for the same day was corrected: it never held, so its days end on the day they begin.
    """
    stands: dict[str, _Statement] = {}
    first_told_in: dict[str, int] = {}
    before: list[dict[str, Any]] = []
    for turn, fact in tellings:
        day = fact["valid_from"]
        first_told_in.setdefault(day, turn)
        if day in stands and stands[day][1]["value"] != fact["value"]:
            before.append(_superseded(stands[day], day, turn))
        if day not in stands or stands[day][1]["value"] != fact["value"]:
            stands[day] = (turn, fact)
    days = sorted(stands)
    for day, following in pairwise(days):
        before.append(_superseded(stands[day], following, first_told_in[following]))
    before.sort(key=lambda entry: (entry["valid_from"], entry["turn"]))
    return stands[days[-1]][1]["value"], before


def _superseded(telling: _Statement, valid_to: str, replaced_in: int) -> dict[str, Any]:
    turn, fact = telling
    return {
        "value": fact["value"],
        "valid_from": fact["valid_from"],
        "valid_to": valid_to,
        "turn": turn,
        "replaced_in_turn": replaced_in,
    }
