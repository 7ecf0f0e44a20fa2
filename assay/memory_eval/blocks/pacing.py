"""When something new enters a block and when something known is told on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from assay.memory_eval.seeded_random import Draws
from assay.memory_eval.world.world import World

_TRIES = 12
_SMALL, _MIDDLING = 20, 100
"""Blocks of up to so many turns."""


class Pacing:
    """The days of a block's turns, and which of them bring something new.

    New things come at an even pace in the first `entering` per cent of the turns, one for each `turns_each` turns of
    the whole block; small blocks have fewer turns for each, down to `at_least`, so that there is something to compare.
    """

    def __init__(
        self,
        world: World,
        block: str,
        num_turns: int,
        *,
        turns_each: int = 6,
        at_least: float = 2.5,
        entering: int = 60,
    ) -> None:
        self._days = world.days_of(block, num_turns)
        each = (
            at_least if num_turns <= _SMALL else min(turns_each, 2 * at_least) if num_turns <= _MIDDLING else turns_each
        )
        self.num_new = max(1, int(num_turns / each))
        self._entering = max(1, num_turns * entering // 100)
        self._last_told: dict[str, str] = {}

    def days(self) -> Iterator[tuple[date, bool]]:
        """For each turn its day, and whether it brings something new."""
        for number, today in enumerate(self._days, start=1):
            due = min(self.num_new, -(-self.num_new * number // self._entering))
            yield today, len(self._last_told) < due

    def told_on(self, entity: str, day: str) -> None:
        """Something was told of it on that day (ISO); the first time, it has entered."""
        self._last_told[entity] = max(day, self._last_told.get(entity, ""))

    def one_told_before(self, entities: Sequence[str], draws: Draws, today: date) -> str | None:
        """One of which nothing was told today yet, so that what changes has a day of its own; None if none is found."""
        if not entities:
            return None
        day = today.isoformat()
        for _ in range(_TRIES):
            entity = draws.one(entities)
            if self._last_told.get(entity, "") < day:
                return entity
        return None
