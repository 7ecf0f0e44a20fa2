"""Pacing of a block: when new things enter and when known ones continue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from assay.seeded_random import Draws

_TRIES = 12
_SMALL, _MIDDLING = 20, 100
"""Most turns of a small and of a medium block."""


class Pacing:
    """Days of a block's turns, and the turns that introduce something new.

    New things enter at an even pace in the first `entering` per cent of the turns, one for each `turns_each` turns of
    the whole block. Small blocks have fewer turns for each, down to `at_least`, so that there is something to compare.
    """

    def __init__(
        self,
        days: Sequence[date],
        *,
        turns_each: int = 6,
        at_least: float = 2.5,
        entering: int = 60,
    ) -> None:
        self._days = days
        num_turns = len(days)
        each = (
            at_least if num_turns <= _SMALL else min(turns_each, 2 * at_least) if num_turns <= _MIDDLING else turns_each
        )
        self.num_new = max(1, int(num_turns / each))
        self._entering = max(1, num_turns * entering // 100)
        self._last_told: dict[str, str] = {}

    def days(self) -> Iterator[tuple[date, bool]]:
        """Yield each turn's day, and whether it introduces something new."""
        for number, today in enumerate(self._days, start=1):
            due = min(self.num_new, -(-self.num_new * number // self._entering))
            yield today, len(self._last_told) < due

    def told_on(self, entity: str, day: str) -> None:
        """Record a statement about an entity on a day (ISO); the first one marks its entry."""
        self._last_told[entity] = max(day, self._last_told.get(entity, ""))

    def one_told_before(self, entities: Sequence[str], draws: Draws, today: date) -> str | None:
        """Return an entity without a statement today, so that its change has a separate day; None if there is none."""
        if not entities:
            return None
        day = today.isoformat()
        for _ in range(_TRIES):
            entity = draws.one(entities)
            if self._last_told.get(entity, "") < day:
                return entity
        return None
