"""Pause of the job queues' polls while a worker has nothing to do."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

MOST_S = 5.0
"""Longest pause in seconds: another process may have enqueued a job, or a delayed one may be due."""
AWAKE_S = 10.0
"""Seconds without activity in this worker before its queues pause."""


class Idling:
    """Pause before polls. DBOS reads a queue's settings before each poll; while the worker is idle, this read waits.

    Each poll is several transactions, and seven threads poll. The library has no other way to slow them down that does
    not apply to all workers at once.
    """

    def __init__(self, reader: Any, is_busy: Callable[[], object]) -> None:
        """Put the pause in front of `get_queue` of DBOS's system database; `is_busy` is true while a job runs."""
        self._read, self._is_busy = reader.get_queue, is_busy
        self._changed = threading.Condition()
        self._awake_until = time.monotonic() + AWAKE_S
        self._is_over = False
        reader.get_queue = self._get_queue

    def wake(self) -> None:
        """Poll again without pauses for some time."""
        with self._changed:
            self._awake_until = time.monotonic() + AWAKE_S
            self._changed.notify_all()

    def end(self) -> None:
        """Pause no more, so that the threads can stop."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _get_queue(self, name: str, **more: object) -> object:
        with self._changed:
            self._changed.wait_for(self._is_awake, timeout=MOST_S)
        return self._read(name, **more)

    def _is_awake(self) -> bool:
        return self._is_over or bool(self._is_busy()) or time.monotonic() < self._awake_until
