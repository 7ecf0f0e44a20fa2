"""A hold as it is shown: plain values, so that what publishes needs to know nothing of who decides."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class HoldFacts:
    """The hold of one head. It stands until `released_at` is set; no time-out ever sets it.

    `level` is the risk level it is about. `placed_by` is None where the level itself placed it, else a login.
    `reasons` and `release_reason` were written by strangers.
    """

    head_sha: str
    level: str
    reasons: tuple[str, ...] = ()
    placed_by: str | None = None
    placed_at: datetime | None = None
    released_by: str | None = None
    released_at: datetime | None = None
    release_reason: str | None = None

    @property
    def stands(self) -> bool:
        return self.released_at is None
