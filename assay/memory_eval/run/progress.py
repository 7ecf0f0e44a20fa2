"""Progress callbacks of an evaluation."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with the phase ("calibrating", "learning", "asking", "grading"), the number done, and the total."""


def silent(_phase: str, _num_done: int, _num_all: int) -> None:
    """Ignore progress."""
