"""Progress of a validation, and its time limits."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Protocol

from assay.validators.report.model import Tier


class Progress(Protocol):
    """Receiver of progress events; the command line draws them, the App counts them."""

    def began(self, tier: Tier, what: str) -> None:
        """Report the start of a step of a tier."""

    def ended(self, tier: Tier, what: str, how: str) -> None:
        """Report the end of that step; `how` is one or two words (`passed`, `failed`, `3 findings`)."""


class Silent:
    """Progress receiver that ignores everything."""

    def began(self, tier: Tier, what: str) -> None:
        """Do nothing."""

    def ended(self, tier: Tier, what: str, how: str) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """Time limit of a tier: `seconds` from now."""

    seconds: float
    began_at_s: float = field(default_factory=time.monotonic)

    def left_s(self) -> float:
        """Return the seconds left, never negative."""
        return max(0.0, self.began_at_s + self.seconds - time.monotonic())

    @property
    def passed(self) -> bool:
        return self.left_s() <= 0.0

    def check(self, what: str) -> None:
        """Raise `OutOfTime` if the time ran out before `what` was finished."""
        if self.passed:
            raise OutOfTime(what)


class OutOfTime(Exception):
    """Expired time limit before `what` was finished; earlier results still count."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}: out of time")
        self.what = what
