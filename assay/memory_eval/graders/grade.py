"""The grade of one answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grade:
    """One answer's grade: `score` and each dimension are 0.0 to 1.0, or None if not graded.

    `no_claim`: the rules found no claim in it, but a judge may. `reasoning` is one plain sentence; `why_not_graded` is
    set if, and only if, `score` is None.
    """

    score: float | None
    dimensions: Mapping[str, float | None]
    reasoning: str
    why_not_graded: str | None = None
    no_claim: bool = False
