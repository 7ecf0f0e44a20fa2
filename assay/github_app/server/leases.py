"""Which workers live: each says so in a row of its own, and takes over what a silent one left unfinished.

A worker is dead when *this* worker has seen its row unchanged for a whole lease, in looks that followed one another
without a gap. So neither clocks that differ between hosts nor a database that was away for a while kill anybody.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from filelock import FileLock, Timeout

from assay.github.errors import SettingsError, StoreUnavailable
from assay.github_app.runtime.context import now
from assay.github_app.settings import Settings
from assay.github_app.store import Store

_log = logging.getLogger(__name__)
MOST_WORKERS = 64
"""Workers that may share one data directory on one host."""


class Name:
    """A worker's name: the same after a restart, and nobody else's while it lives (a file lock sees to that)."""

    def __init__(self, text: str, lock: FileLock) -> None:
        self.text = text
        self._lock = lock

    def __str__(self) -> str:
        return self.text

    def give_up(self) -> None:
        """Let another process have it."""
        self._lock.release()


def take_name(settings: Settings) -> Name:
    """The name of this process as a worker: the one in the settings, or host, data directory and a number.

    Raises:
        SettingsError: another process of this data directory lives under the given name.
    """
    folder = settings.data_dir / "workers"
    folder.mkdir(parents=True, exist_ok=True)
    if settings.worker_name is not None:
        lock = _locked(folder / f"{_digest(settings.worker_name)}.lock")
        if lock is None:
            raise SettingsError(f"ASSAY_WORKER_NAME: another process works as {settings.worker_name}; names are unique")
        return Name(settings.worker_name, lock)
    for number in range(1, MOST_WORKERS + 1):
        lock = _locked(folder / f"{number}.lock")
        if lock is not None:
            return Name(f"{os.uname().nodename}-{_digest(str(settings.data_dir.absolute()))}-{number}", lock)
    raise SettingsError(f"{MOST_WORKERS} workers already share {settings.data_dir}")


class Lease:
    """This worker's own sign of life, and its eye on the others.

    `on_dead` is given the name of a dead one, and says how many of its jobs it put back in line; `on_look` is called
    at every look.
    """

    def __init__(
        self,
        store: Store,
        executor: str,
        lease_s: float,
        on_dead: Callable[[str], int],
        on_look: Callable[[], object] = int,
    ) -> None:
        self.executor = executor
        self.lease_s = lease_s
        self._store = store
        self._on_dead = on_dead
        self._on_look = on_look
        self._host, self._pid = os.uname().nodename, os.getpid()
        self._renewed = 0.0
        self._seen: dict[str, tuple[datetime, float]] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="lease", daemon=True)

    def start(self) -> None:
        """Show the first sign of life, then keep showing it. Raises `StoreUnavailable`."""
        self._renew()
        self._thread.start()

    def stop(self, *, is_idle: bool) -> None:
        """End. With nothing left undone the row goes too; else the others are to find it silent."""
        self._stop.set()
        self._thread.join(timeout=self.lease_s)
        if is_idle:
            try:
                self._store.leases.forget(self.executor)
            except StoreUnavailable as error:
                _log.warning("this worker's lease is left to run out: %s", error)

    def holds(self) -> bool:
        """Whether the others still take this worker for alive; if not, somebody may be doing its work."""
        return time.monotonic() - self._renewed < self.lease_s

    def _keep(self) -> None:
        while not self._stop.wait(self.lease_s / 4):
            try:
                self._renew()
                self._look()
                self._on_look()
            except StoreUnavailable as error:
                # A look that failed is a gap: what was seen before it proves nothing any more.
                self._seen.clear()
                _log.warning("the lease is not renewed: %s", error)
            except Exception:  # noqa: BLE001 - whatever it was, the next look must come
                self._seen.clear()
                _log.exception("looking after other workers failed")

    def _renew(self) -> None:
        began = time.monotonic()
        self._store.leases.renew(self.executor, self._host, self._pid, now())
        self._renewed = began

    def _look(self) -> None:
        at = time.monotonic()
        rows = {row.executor: row for row in self._store.leases.all() if row.executor != self.executor}
        for gone in self._seen.keys() - rows.keys():
            del self._seen[gone]
        for executor, row in rows.items():
            renewed_at, since = self._seen.get(executor, (row.renewed_at, at))
            if renewed_at != row.renewed_at:
                renewed_at, since = row.renewed_at, at
            self._seen[executor] = (renewed_at, since)
            if at - since >= self.lease_s:
                self._take_over(executor, renewed_at)

    def _take_over(self, executor: str, renewed_at: datetime) -> None:
        num_jobs = self._on_dead(executor)
        _log.warning("worker %s is dead; %d of its jobs are back in line", executor, num_jobs)
        if num_jobs == 0:
            # Struck off once nothing of it is left, so that the list does not grow with every container; unless it
            # has shown a sign of life since.
            del self._seen[executor]
            self._store.leases.forget(executor, renewed_at + timedelta(microseconds=1))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def _locked(path: Path) -> FileLock | None:
    lock = FileLock(path)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return None
    return lock
