"""Pace of a thread that polls: quick while it finds something, slower after that."""

from __future__ import annotations

SLOWEST = 4
"""Longest wait, in waits of a busy thread."""
GROWTH = 1.2
"""Factor by which the wait grows after each poll that found nothing."""


class Pace:
    """Waits between two polls, from `every_s` to `SLOWEST` times that."""

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._wait_s = every_s

    def after(self, num_found: int) -> float:
        """Return the seconds to wait after a poll that found so much."""
        slower = min(self._wait_s * GROWTH, self._every_s * SLOWEST)
        self._wait_s = self._every_s if num_found else slower
        return self._wait_s
