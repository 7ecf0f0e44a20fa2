"""Threads that poll the database: quick while they find something, slower after that."""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod

from assay.github.errors import StoreUnavailable

_log = logging.getLogger(__name__)
SLOWEST = 4
"""Longest wait, in waits of a busy thread."""
GROWTH = 1.2
"""Factor by which the wait grows after each poll that found nothing."""
AFTER_ERROR_S = 2.0


class Poller(ABC):
    """Thread that calls `once` again and again.

    It waits `every_s` after a poll that found something, up to `SLOWEST` times that after polls that found nothing, and
    not at all after a full `batch`.
    """

    def __init__(self, name: str, every_s: float, *, batch: int | None = None) -> None:
        self._name = name
        self._every_s = every_s
        self._wait_s = every_s
        self._batch = batch
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; what a poll found is handled when this returns."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    @abstractmethod
    def once(self) -> int:
        """Poll; return how much was found. Raises `StoreUnavailable`."""

    def wait_s(self, num_found: int) -> float:
        """Return the seconds to wait after a poll that found so much."""
        slower = min(self._wait_s * GROWTH, self._every_s * SLOWEST)
        self._wait_s = self._every_s if num_found else slower
        return 0.0 if num_found == self._batch else self._wait_s

    def _run(self) -> None:
        wait_s = 0.0
        while not self._stop.wait(wait_s):
            try:
                wait_s = self.wait_s(self.once())
            except StoreUnavailable as error:
                wait_s = AFTER_ERROR_S
                _log.warning("%s waits for the database: %s", self._name, error)
            except Exception:  # noqa: BLE001 - the thread must survive any error
                wait_s = AFTER_ERROR_S
                _log.exception("%s failed", self._name)
