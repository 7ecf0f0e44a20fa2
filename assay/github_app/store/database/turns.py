"""Fair locking of one SQLite file: a waiting writer goes before one that has just finished.

SQLite's own waiters sleep up to a tenth of a second between attempts, while a busy worker locks the file again and
again: an acknowledgement then takes seconds. So writers of all threads and processes queue at two locks, `next` and
`turn`. The writer holds `turn`, the first waiter holds `next`, the others wait for `next`. A returning writer waits for
`next` too and cannot overtake the first waiter. The kernel releases both locks of a killed process.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from assay.github.errors import StoreUnavailable

LOOK_S = 0.0005
"""Seconds between attempts on a lock of another process; the kernel's blocking wait has no timeout."""


class Turns:
    """The two lock files of a database, shared by all threads of this process."""

    def __init__(self, database: Path, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._next = _Lock(database.with_name(f"{database.name}-next"))
        self._turn = _Lock(database.with_name(f"{database.name}-turn"))

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Wait for the turn, and release it at the end. Raises `StoreUnavailable` after the time limit."""
        deadline = time.monotonic() + self._timeout_s
        with self._next.held(deadline):
            self._turn.acquire(deadline)
        try:
            yield
        finally:
            self._turn.release()

    def close(self) -> None:
        """Close the files; the next use opens them again."""
        self._next.close()
        self._turn.close()


class _Lock:
    """A lock among the threads of this process, then among processes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._threads = threading.Lock()
        self._file: int | None = None

    @contextlib.contextmanager
    def held(self, deadline: float) -> Iterator[None]:
        self.acquire(deadline)
        try:
            yield
        finally:
            self.release()

    def acquire(self, deadline: float) -> None:
        if not self._threads.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise StoreUnavailable("others in this process write for too long")
        try:
            while not self._is_ours():
                if time.monotonic() > deadline:
                    raise StoreUnavailable("another process writes for too long", code="store.locked")
                time.sleep(LOOK_S)
        except BaseException:
            self._threads.release()
            raise

    def release(self) -> None:
        if self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)
        self._threads.release()

    def close(self) -> None:
        with self._threads:
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def _is_ours(self) -> bool:
        try:
            if self._file is None:
                self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            raise StoreUnavailable(f"{self._path} cannot be locked: {error.strerror}") from None
        return True
