"""The time, and waiting: one thing to hand in, so that tests need not wait."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """`now` is aware, `steady` never goes back, `sleep` waits so many seconds."""

    now: Callable[[], datetime] = _now
    steady: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
