"""Sessions of a dialogue: the speaker, the conversation and the time of each turn."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, time, timedelta

from assay.memory_eval.truth import Turn
from assay.memory_eval.world.world import World

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
