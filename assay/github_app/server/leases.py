"""Leases of workers: each renews a row, and takes over the jobs of a worker whose lease expired.

A lease has expired when *this* worker saw the row unchanged for a whole lease, in checks without a gap. So neither
different clocks of two hosts nor an unavailable database expire a lease.
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
from assay.github_app.ops.settings import Settings
from assay.github_app.runtime.context import now
from assay.github_app.store import Store

_log = logging.getLogger(__name__)
MOST_WORKERS = 64
"""Maximum workers that share a data directory on one host."""


class WorkerName:
    """Name of a worker: stable over restarts, and unique while the worker runs because of a file lock."""

    def __init__(self, text: str, lock: FileLock) -> None:
        self.text = text
        self._lock = lock

    def __str__(self) -> str:
        return self.text

    def release(self) -> None:
        """Release the lock, so that another process can take the name."""
        self._lock.release()


def take_name(settings: Settings) -> WorkerName:
    """Return the worker's name: from the settings, or made of host, data directory and a number.

    Raises:
        SettingsError: another process of this data directory has the name.
    """
    folder = settings.data_dir / "workers"
    folder.mkdir(parents=True, exist_ok=True)
    if settings.worker_name is not None:
        lock = _locked(folder / f"{_digest(settings.worker_name)}.lock")
        if lock is None:
            raise SettingsError(f"ASSAY_WORKER_NAME: {settings.worker_name} is in use; choose a unique name")
        return WorkerName(settings.worker_name, lock)
    for number in range(1, MOST_WORKERS + 1):
        lock = _locked(folder / f"{number}.lock")
        if lock is not None:
            return WorkerName(f"{os.uname().nodename}-{_digest(str(settings.data_dir.absolute()))}-{number}", lock)
    raise SettingsError(f"ASSAY_DATA_DIR: {MOST_WORKERS} workers already share {settings.data_dir}; use another")


class Lease:
    """Lease of this worker and monitor of the others.

    `on_dead` receives the name of a worker whose lease expired and returns how many of its jobs it re-enqueued;
    `on_look` is called at every check.
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
        """Take the lease and keep renewing it. Raises `StoreUnavailable`."""
        self._renew()
        self._thread.start()

    def stop(self, *, is_idle: bool) -> None:
        """Stop renewing; delete the row if no job is left, else let the lease expire for the others to take over."""
        self._stop.set()
        self._thread.join(timeout=self.lease_s)
        if is_idle:
            try:
                self._store.leases.forget(self.executor)
            except StoreUnavailable as error:
                _log.warning("lease not deleted, it expires: %s", error)

    def holds(self) -> bool:
        """Return whether the lease is valid; if not, another worker may have taken over the jobs."""
        return time.monotonic() - self._renewed < self.lease_s

    def _keep(self) -> None:
        while not self._stop.wait(self.lease_s / 4):
            try:
                self._renew()
                self._look()
                self._on_look()
            except StoreUnavailable as error:
                # A failed check is a gap, which makes earlier observations worthless.
                self._seen.clear()
                _log.warning("lease not renewed: %s", error)
            except Exception:  # noqa: BLE001 - the thread must survive any error
                self._seen.clear()
                _log.exception("check of other workers failed")

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
        _log.warning("lease of worker %s expired; re-enqueued %d of its jobs", executor, num_jobs)
        if num_jobs == 0:
            # Without jobs its row is deleted, so that the table does not grow with every container, unless it was
            # renewed since.
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
