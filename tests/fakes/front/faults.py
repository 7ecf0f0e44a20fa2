"""Bad weather to order: what GitHub does to its callers on bad days."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import dataclass, field
from http import HTTPStatus

from tests.fakes.front.exchange import Answer, Exchange, refused

SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
PRIMARY = "API rate limit exceeded for installation ID 4242."


@dataclass(slots=True)
class Fault:
    """One kind of trouble for the requests that fit, `times` times.

    Kinds: an HTTP status (`502`), `secondary` (403 with a secondary limit), `rate_limited` (429), `exhausted` (403,
    nothing remaining), `timeout` (no answer), `half_close` (the answer breaks off), `reset` (the connection dies).
    With `after` GitHub does what was asked and only the answer is lost.
    """

    path: re.Pattern[str]
    kind: str | int
    times: float
    method: str = ""
    retry_after: int | None = None
    after: bool = False
    every: int = 1
    num_seen: int = 0
    num_done: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def hits(self, exchange: Exchange) -> bool:
        """Does it strike this request? Counts it."""
        if self.method and self.method != exchange.method:
            return False
        if not self.path.search(f"{exchange.method} {exchange.path}"):
            return False
        with self.lock:
            self.num_seen += 1
            if self.num_done >= self.times or self.num_seen % self.every:
                return False
            self.num_done += 1
            return True

    def answer(self) -> Answer:
        """The bad answer."""
        later = {} if self.retry_after is None else {"retry-after": str(self.retry_after)}
        if self.kind == "secondary":
            answer = refused(403, SECONDARY)
        elif self.kind == "rate_limited":
            answer = refused(429, PRIMARY)
        elif self.kind == "exhausted":
            answer = refused(403, PRIMARY)
            wait_s = self.retry_after or 1
            later = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(time.time()) + wait_s)}
        elif isinstance(self.kind, int):
            answer = refused(self.kind, HTTPStatus(self.kind).phrase)
        else:
            return Answer(200, {}, broken=self.kind)
        answer.headers.update(later)
        return answer
