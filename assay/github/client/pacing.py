"""Request rate of an installation, shared by all its users in this process.

Writes are a second apart, and what creates content is within GitHub's limits per minute and hour. When GitHub asks to
wait, all requests wait: GitHub may ban an App that continues while limited.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta

from assay.github.client.answers import CORE, Answer, wait_of
from assay.github.client.clock import Clock
from assay.github.client.limits import CONTENT_PER_HOUR, CONTENT_PER_MINUTE, MOST_CONCURRENT, SECONDS_BETWEEN_WRITES
from assay.github.errors import RateLimited

MOST_WAIT_S = 20.0
"""Chosen limit: longer waits return to the durable job, which waits without occupying a worker."""
RESERVE = 0.1
"""Chosen share of an hour's requests that is left to users' re-runs, merge groups and heads that are at work."""
WINDOW_S = 3600.0
"""GitHub's limit counts the requests of an hour."""
AHEAD = 0.01
"""Chosen share of an hour's requests that may be used before their time without saving any."""


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
        self._created: deque[float] = deque(maxlen=CONTENT_PER_HOUR)
        self._blocked_until: dict[str, datetime] = {}
        self._low_until: datetime | None = None
        self._hurried_until: datetime | None = None

    @contextmanager
    def turn(self, what: str, *, is_write: bool, is_content: bool = False, resource: str = CORE) -> Iterator[None]:
        """Wait for a turn, and hold a place while the request runs.

        Args:
            what: its purpose, for the error.
            is_write: whether it keeps a distance from the write before it.
            is_content: whether it creates content, which has limits per minute and hour.
            resource: the limit of requests it counts towards.

        Raises:
            RateLimited: the wait exceeds `most_wait_s`.
        """
        with self._places:
            wait_s = self._reserve(what, resource, is_write=is_write, is_content=is_content)
            if wait_s > 0:
                self.clock.sleep(wait_s)
            yield

    def heed(self, answer: Answer) -> None:
        """Note what a response says about limits."""
        if answer.left_of_hour is not None:
            self.note(*answer.left_of_hour)
        if answer.exhausted_until is not None:
            self.block(answer.exhausted_until, answer.resource)
        if answer.is_limited:
            now = self.clock.now()
            self.block(now + timedelta(seconds=wait_of(answer, now)), answer.exhausted)

    def note(self, remaining: int, limit: int, resets_at: datetime) -> None:
        """Note how much of the hour's requests is left."""
        time_left = (resets_at - self.clock.now()).total_seconds() / WINDOW_S
        with self._lock:
            # In the last minutes less is enough, or the reserve would be left over each hour.
            self._low_until = resets_at if remaining < limit * min(RESERVE, time_left / 2) else None
            self._hurried_until = resets_at if remaining < limit * (time_left - AHEAD) else None

    @property
    def low_until(self) -> datetime | None:
        """Time at which the limit resets, if only the reserve is left."""
        return self._unless_past(self._low_until)

    @property
    def is_hurried(self) -> bool:
        """Whether the hour's requests are used up so fast that they may not last the hour."""
        return self._unless_past(self._hurried_until) is not None

    def _unless_past(self, until: datetime | None) -> datetime | None:
        return until if until is not None and until > self.clock.now() else None

    def block(self, until: datetime, resource: str = CORE) -> None:
        """Block requests until then; an earlier time never shortens a later one.

        Without `resource` all requests are blocked, else only those that count towards this limit.
        """
        with self._lock:
            self._blocked_until[resource] = max(until, self._blocked_until.get(resource, until))

    def _reserve(self, what: str, resource: str, *, is_write: bool, is_content: bool) -> float:
        """Reserve the next free slot; return the seconds until it."""
        with self._lock:
            blocked_s = max(self._blocked_s(CORE), self._blocked_s(resource))
            now = self.clock.steady()
            begins = now + blocked_s
            if is_write:
                begins = max(begins, self._next_write_at)
            if is_content:
                begins = max((begins, *self._allowed_at()))
            wait_s = begins - now
            if wait_s > self.most_wait_s:
                why = "GitHub asked to wait" if blocked_s else "GitHub's limit on new content is used up"
                raise RateLimited(what, why, self.clock.now() + timedelta(seconds=wait_s))
            if is_write:
                self._next_write_at = begins + self._between_writes_s
            if is_content:
                self._created.append(begins)
            return wait_s

    def _blocked_s(self, resource: str) -> float:
        until = self._blocked_until.get(resource)
        if until is None:
            return 0.0
        left_s = (until - self.clock.now()).total_seconds()
        if left_s <= 0:
            del self._blocked_until[resource]
        return max(left_s, 0.0)

    def _allowed_at(self) -> Iterator[float]:
        """Yield when more content is within the limits per minute and per hour."""
        for most, seconds in ((CONTENT_PER_MINUTE, 60.0), (CONTENT_PER_HOUR, 3600.0)):
            if len(self._created) >= most:
                yield self._created[-most] + seconds
