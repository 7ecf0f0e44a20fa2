"""Leases of workers: each worker renews its lease; one with an expired lease counts as dead."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, Integer, Row, Table, delete, select

from assay.github_app.store.database.columns import METADATA, UtcTime, Words
from assay.github_app.store.database.database import Database, insert_new, put

LEASES = Table(
    "leases",
    METADATA,
    Column("executor", Words, primary_key=True),
    Column("host", Words, nullable=False),
    Column("pid", Integer(), nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("renewed_at", UtcTime, nullable=False),
    info={"holds": "Workers and the time of each one's last heartbeat."},
)


@dataclass(frozen=True, slots=True)
class LeaseRow:
    """A worker."""

    executor: str
    host: str
    pid: int
    started_at: datetime
    renewed_at: datetime


class Leases:
    """The table `leases`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def renew(self, executor: str, host: str, pid: int, at: datetime) -> None:
        """Record a heartbeat; another host or pid means that the worker restarted."""
        first = {"executor": executor, "host": host, "pid": pid, "started_at": at, "renewed_at": at}
        with self._database.write() as connection:
            if insert_new(connection, LEASES, first):
                return
            same = (LEASES.c.executor == executor, LEASES.c.host == host, LEASES.c.pid == pid)
            if connection.execute(LEASES.update().where(*same).values(renewed_at=at)).rowcount == 0:
                put(connection, LEASES, first)

    def all(self) -> tuple[LeaseRow, ...]:
        """Return every worker with a lease."""
        with self._database.read() as connection:
            return tuple(_lease(row) for row in connection.execute(select(LEASES).order_by(LEASES.c.executor)))

    def dead(self, older_than: datetime) -> tuple[LeaseRow, ...]:
        """Return the workers whose last heartbeat is before this time."""
        silent = select(LEASES).where(LEASES.c.renewed_at < older_than).order_by(LEASES.c.executor)
        with self._database.read() as connection:
            return tuple(_lease(row) for row in connection.execute(silent))

    def forget(self, executor: str, older_than: datetime | None = None) -> bool:
        """Delete a worker's lease; return True for the caller that deleted it and takes over its work.

        With `older_than`, keep a lease with a heartbeat since then.
        """
        these = [LEASES.c.executor == executor]
        if older_than is not None:
            these.append(LEASES.c.renewed_at < older_than)
        with self._database.write() as connection:
            return connection.execute(delete(LEASES).where(*these)).rowcount > 0


def _lease(row: Row[tuple[object, ...]]) -> LeaseRow:
    return LeaseRow(**row._asdict())
