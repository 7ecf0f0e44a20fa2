"""Append-only log of events; the database enforces it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Index, Select, select
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import BIG, Big, Kept, StoredRow, described
from assay.github_app.store.database.database import Tables, insert_new
from assay.github_app.store.tables.event_kinds import EventKind


class EventRow(StoredRow):
    """One entry of the log; `at` is the time of the event."""

    __tablename__ = "task_events"
    __table_args__ = (
        Index(None, "repository_id", "number", "at"),
        Index(None, "repository_id", "task_id"),
        Index(None, "kind", "at"),
        described("Events in order of arrival; append-only. `key` makes a replayed event one row.", Kept.task),
    )

    id: Mapped[int] = mapped_column(BIG, primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    kind: Mapped[str]
    at: Mapped[datetime]
    repository_id: Mapped[Big | None]
    number: Mapped[int | None]
    task_id: Mapped[str | None]
    data: Mapped[Mapping[str, Any]]


class TaskEvents(Tables):
    """The table `task_events`."""

    def append(
        self,
        kind: str,
        key: str,
        at: datetime,
        repository_id: int | None = None,
        number: int | None = None,
        task_id: str | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> bool:
        """Add an entry, once per kind and key; return False if it exists (the first one is kept).

        Raises:
            ValueError: a kind that is not in `EventKind`.
        """
        kind = EventKind(kind)
        values = {
            "key": f"{kind}:{key}",
            "kind": kind,
            "at": at,
            "repository_id": repository_id,
            "number": number,
            "task_id": task_id,
            "data": dict(data or {}),
        }
        with self._database.write() as connection:
            return insert_new(connection, EventRow, values)

    def of(self, repository_id: int, number: int) -> tuple[EventRow, ...]:
        """Return the log of a pull request, in order of time."""
        return self._all(select(EventRow).filter_by(repository_id=repository_id, number=number))

    def get(self, kind: EventKind, key: str) -> EventRow | None:
        """Return the entry of a kind and key."""
        return self._database.one(select(EventRow).filter_by(key=f"{kind}:{key}"))

    def of_task(self, repository_id: int, task_id: str) -> tuple[EventRow, ...]:
        """Return the log of a task, in order of time."""
        return self._all(select(EventRow).filter_by(repository_id=repository_id, task_id=task_id))

    def of_kind(self, kind: str, since: datetime, until: datetime) -> tuple[EventRow, ...]:
        """Return the entries of one kind from `since` (inclusive) to `until` (exclusive), in order of time."""
        return self._all(select(EventRow).where(EventRow.kind == kind, EventRow.at >= since, EventRow.at < until))

    def _all(self, wanted: Select[EventRow]) -> tuple[EventRow, ...]:
        return self._database.rows(wanted.order_by(EventRow.at, EventRow.id))
