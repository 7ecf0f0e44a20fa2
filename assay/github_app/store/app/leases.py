"""Which workers are alive: each renews its lease, and a silent one is taken for dead."""

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
    info={"holds": "Workers and when each was last heard of."},
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
        """This worker is alive; under another host or pid it has started anew."""
        first = {"executor": executor, "host": host, "pid": pid, "started_at": at, "renewed_at": at}
        with self._database.write() as connection:
            if insert_new(connection, LEASES, first):
                return
            same = (LEASES.c.executor == executor, LEASES.c.host == host, LEASES.c.pid == pid)
            if connection.execute(LEASES.update().where(*same).values(renewed_at=at)).rowcount == 0:
                put(connection, LEASES, first)

    def all(self) -> tuple[LeaseRow, ...]:
        """Every worker that was heard of and not forgotten."""
        with self._database.read() as connection:
            return tuple(_lease(row) for row in connection.execute(select(LEASES).order_by(LEASES.c.executor)))

    def dead(self, older_than: datetime) -> tuple[LeaseRow, ...]:
        """The workers that were last heard of before this time."""
        silent = select(LEASES).where(LEASES.c.renewed_at < older_than).order_by(LEASES.c.executor)
        with self._database.read() as connection:
            return tuple(_lease(row) for row in connection.execute(silent))

    def forget(self, executor: str, older_than: datetime | None = None) -> bool:
        """Strike a worker off; True for exactly one of those who try, who then takes over its work.

        With `older_than`, a worker that was heard of since is left alone.
        """
        these = [LEASES.c.executor == executor]
        if older_than is not None:
            these.append(LEASES.c.renewed_at < older_than)
        with self._database.write() as connection:
            return connection.execute(delete(LEASES).where(*these)).rowcount > 0


def _lease(row: Row[tuple[object, ...]]) -> LeaseRow:
    return LeaseRow(**row._asdict())
