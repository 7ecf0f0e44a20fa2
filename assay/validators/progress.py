"""What a person sees while a change is judged, and how much time is left to judge it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Protocol

from assay.validators.report.model import Tier


class Progress(Protocol):
    """Told what goes on; the command line draws it, the App counts it."""

    def began(self, tier: Tier, what: str) -> None:
        """A step of a tier begins."""

    def ended(self, tier: Tier, what: str, how: str) -> None:
        """That step is over; `how` is one or two words (`passed`, `failed`, `3 findings`)."""


class Silent:
    """Nobody is looking."""

    def began(self, tier: Tier, what: str) -> None:
        """Say nothing."""

    def ended(self, tier: Tier, what: str, how: str) -> None:
        """Say nothing."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A tier's time: `seconds` from now on."""

    seconds: float
    began_at_s: float = field(default_factory=time.monotonic)

    def left_s(self) -> float:
        """Seconds left, never negative."""
        return max(0.0, self.began_at_s + self.seconds - time.monotonic())

    @property
    def passed(self) -> bool:
        return self.left_s() <= 0.0

    def check(self, what: str) -> None:
        """Raise `OutOfTime` where the time is up while `what` is still being made."""
        if self.passed:
            raise OutOfTime(what)


class OutOfTime(Exception):
    """A tier's time was up before `what` was finished; what was found so far still counts."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: out of time")
        self.what = what
