"""What a person sees while an agent is examined."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with the phase ("calibrating", "learning", "asking", "grading"), how many are done, and how many there are."""


def silent(_phase: str, _num_done: int, _num_all: int) -> None:
    """Nobody is looking."""
