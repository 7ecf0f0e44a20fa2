"""Leases of workers: each worker renews its lease; one with an expired lease counts as dead."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Mapped

from assay.github_app.store.database.columns import Kept, Key, StoredRow, described
from assay.github_app.store.database.database import Tables, insert_new, put


class LeaseRow(StoredRow):
    """A worker."""

    __tablename__ = "leases"
    __table_args__ = described("Workers and the time of each one's last heartbeat.", Kept.until_end)

    executor: Mapped[Key]
    host: Mapped[str]
    pid: Mapped[int]
    started_at: Mapped[datetime]
    renewed_at: Mapped[datetime]


class Leases(Tables):
    """The table `leases`."""

    def renew(self, executor: str, host: str, pid: int, at: datetime) -> None:
        """Record a heartbeat; another host or pid means that the worker restarted."""
        first = {"executor": executor, "host": host, "pid": pid, "started_at": at, "renewed_at": at}
        with self._database.write() as connection:
            if insert_new(connection, LeaseRow, first):
                return
            same = update(LeaseRow).filter_by(executor=executor, host=host, pid=pid)
            if connection.execute(same.values(renewed_at=at)).rowcount == 0:
                put(connection, LeaseRow, first)

    def all(self) -> tuple[LeaseRow, ...]:
        """Return every worker with a lease."""
        return self._database.rows(select(LeaseRow).order_by(LeaseRow.executor))

    def forget(self, executor: str, older_than: datetime | None = None) -> bool:
        """Delete a worker's lease; return True for the caller that deleted it and takes over its work.

        With `older_than`, keep a lease with a heartbeat since then.
        """
        these = [LeaseRow.executor == executor]
        if older_than is not None:
            these.append(LeaseRow.renewed_at < older_than)
        return self._database.execute(delete(LeaseRow).where(*these)) > 0
