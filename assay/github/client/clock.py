"""Replaceable clock, so that tests do not wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """Clock with a timezone-aware `now`, a monotonic `steady`, and `sleep` in seconds."""

    now: Callable[[], datetime] = _now
    steady: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
