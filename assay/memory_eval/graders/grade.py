"""The grade of one answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grade:
    """One answer's grade: `score` and each dimension 0.0 to 1.0, or None where it could not be graded.

    `reasoning` is one plain sentence; `why_not_graded` is said where `score` is None, and only there.
    """

    score: float | None
    dimensions: Mapping[str, float | None]
    reasoning: str
    why_not_graded: str | None = None
