"""How fast we may ask: what GitHub allows one installation, kept by all who use it in this process.

Writes keep a second's distance and stay under the minute's and hour's allowance. When GitHub says "wait", everybody
waits: asking on while limited is what gets an App banned.
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
"""Ours: what must wait longer is put back to the durable job, which can wait without holding a worker."""


class Pace:
    """The rhythm of one installation (or of the App itself, or of one token)."""

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        seconds_between_requests: float = 0.0,
        seconds_between_writes: float = SECONDS_BETWEEN_WRITES,
        most_wait_s: float = MOST_WAIT_S,
        on_answer: Callable[[str, int, Mapping[str, str]], None] | None = None,
    ) -> None:
        """`on_answer` hears of every answer: method, status (0 for none), headers."""
        self.clock = clock or Clock()
        self.on_answer = on_answer
        self._between_requests_s = seconds_between_requests
        self._between_writes_s = seconds_between_writes
        self.most_wait_s = most_wait_s
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(MOST_CONCURRENT)
        self._next_at = 0.0
        self._next_write_at = 0.0
        self._writes: deque[float] = deque(maxlen=WRITES_PER_HOUR)
        self._blocked_until: datetime | None = None

    @contextmanager
    def turn(self, what: str, *, is_write: bool) -> Iterator[None]:
        """Wait for our turn, then hold a place while the request runs.

        Raises:
            RateLimited: the turn is further away than `most_wait_s`.
        """
        with self._places:
            wait_s = self._reserve(what, is_write=is_write)
            if wait_s > 0:
                self.clock.sleep(wait_s)
            yield

    def block(self, until: datetime) -> None:
        """GitHub asked for silence until then; an earlier end never shortens a later one."""
        with self._lock:
            self._blocked_until = max(until, self._blocked_until or until)

    def _reserve(self, what: str, *, is_write: bool) -> float:
        """Take the next free moment; seconds until it comes."""
        with self._lock:
            blocked_s = self._blocked_s()
            now = self.clock.steady()
            begins = max(now + blocked_s, self._next_at)
            if is_write:
                begins = max(begins, self._next_write_at, *self._allowed_at())
            wait_s = begins - now
            if wait_s > self.most_wait_s:
                why = "GitHub asked us to wait" if blocked_s else "our writes have used up what GitHub allows"
                raise RateLimited(what, why, self.clock.now() + timedelta(seconds=wait_s))
            self._next_at = begins + self._between_requests_s
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
        """When one more write is inside the allowances of the last minute and the last hour."""
        for most, seconds in ((WRITES_PER_MINUTE, 60.0), (WRITES_PER_HOUR, 3600.0)):
            if len(self._writes) >= most:
                yield self._writes[-most] + seconds
