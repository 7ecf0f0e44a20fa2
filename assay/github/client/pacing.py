"""Request rate of an installation, shared by all its users in this process.

Writes are a second apart and within GitHub's limits per minute and hour. When GitHub asks to wait, all requests wait:
GitHub may ban an App that continues while limited.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta

from assay.github.client.clock import Clock
from assay.github.client.limits import MOST_CONCURRENT, SECONDS_BETWEEN_WRITES, WRITES_PER_HOUR, WRITES_PER_MINUTE
from assay.github.errors import RateLimited

MOST_WAIT_S = 20.0
"""Chosen limit: longer waits return to the durable job, which waits without occupying a worker."""


class Pace:
    """Pace of one installation, of the App itself, or of one token."""

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        seconds_between_writes: float = SECONDS_BETWEEN_WRITES,
        most_wait_s: float = MOST_WAIT_S,
        on_answer: Callable[[str, int, Mapping[str, str]], None] | None = None,
    ) -> None:
        """Create a pace; `on_answer` is called for every response: method, status (0 for none), headers."""
        self.clock = clock or Clock()
        self.on_answer = on_answer
        self._between_writes_s = seconds_between_writes
        self.most_wait_s = most_wait_s
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(MOST_CONCURRENT)
        self._next_write_at = 0.0
        self._writes: deque[float] = deque(maxlen=WRITES_PER_HOUR)
        self._blocked_until: datetime | None = None

    @contextmanager
    def turn(self, what: str, *, is_write: bool) -> Iterator[None]:
        """Wait for a turn, and hold a place while the request runs.

        Raises:
            RateLimited: the wait exceeds `most_wait_s`.
        """
        with self._places:
            wait_s = self._reserve(what, is_write=is_write)
            if wait_s > 0:
                self.clock.sleep(wait_s)
            yield

    def block(self, until: datetime) -> None:
        """Block requests until then; an earlier time never shortens a later one."""
        with self._lock:
            self._blocked_until = max(until, self._blocked_until or until)

    def _reserve(self, what: str, *, is_write: bool) -> float:
        """Reserve the next free slot; return the seconds until it."""
        with self._lock:
            blocked_s = self._blocked_s()
            now = self.clock.steady()
            begins = now + blocked_s
            if is_write:
                begins = max(begins, self._next_write_at, *self._allowed_at())
            wait_s = begins - now
            if wait_s > self.most_wait_s:
                why = "GitHub asked to wait" if blocked_s else "GitHub's limit on writes is used up"
                raise RateLimited(what, why, self.clock.now() + timedelta(seconds=wait_s))
            if is_write:
                self._next_write_at = begins + self._between_writes_s
                self._writes.append(begins)
            return wait_s

    def _blocked_s(self) -> float:
        if self._blocked_until is None:
            return 0.0
        left_s = (self._blocked_until - self.clock.now()).total_seconds()
        if left_s <= 0:
            self._blocked_until = None
        return max(left_s, 0.0)

    def _allowed_at(self) -> Iterator[float]:
        """Yield when one more write is within the limits per minute and per hour."""
        for most, seconds in ((WRITES_PER_MINUTE, 60.0), (WRITES_PER_HOUR, 3600.0)):
            if len(self._writes) >= most:
                yield self._writes[-most] + seconds
