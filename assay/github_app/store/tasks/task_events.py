"""Append-only log of events; the database enforces it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, Integer, Row, Select, Table, select

from assay.github_app.store.database.columns import BIG, METADATA, Json, UtcTime, Words
from assay.github_app.store.database.database import Database, insert_new
from assay.github_app.store.tables.event_kinds import EventKind

EVENTS = Table(
    "task_events",
    METADATA,
    Column("id", BIG, primary_key=True),
    Column("key", Words, nullable=False, unique=True),
    Column("kind", Words, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("repository_id", BIG),
    Column("number", Integer()),
    Column("task_id", Words),
    Column("data", Json, nullable=False),
    Index(None, "repository_id", "number", "at"),
    Index(None, "repository_id", "task_id"),
    Index(None, "kind", "at"),
    info={"holds": "Events in order of arrival; append-only. `key` makes a replayed event one row."},
)


@dataclass(frozen=True, slots=True)
class EventRow:
    """One entry of the log; `at` is the time of the event."""

    id: int
    key: str
    kind: str
    at: datetime
    repository_id: int | None
    number: int | None
    task_id: str | None
    data: Mapping[str, Any]


class TaskEvents:
    """The table `task_events`."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
            return insert_new(connection, EVENTS, values)

    def of(self, repository_id: int, number: int) -> tuple[EventRow, ...]:
        """Return the log of a pull request, in order of time."""
        return self._all(select(EVENTS).where(EVENTS.c.repository_id == repository_id, EVENTS.c.number == number))

    def of_task(self, repository_id: int, task_id: str) -> tuple[EventRow, ...]:
        """Return the log of a task, in order of time."""
        return self._all(select(EVENTS).where(EVENTS.c.repository_id == repository_id, EVENTS.c.task_id == task_id))

    def of_kind(self, kind: str, since: datetime, until: datetime) -> tuple[EventRow, ...]:
        """Return the entries of one kind from `since` (inclusive) to `until` (exclusive), in order of time."""
        return self._all(select(EVENTS).where(EVENTS.c.kind == kind, EVENTS.c.at >= since, EVENTS.c.at < until))

    def _all(self, wanted: Select[Any]) -> tuple[EventRow, ...]:
        with self._database.read() as connection:
            rows = list(connection.execute(wanted.order_by(EVENTS.c.at, EVENTS.c.id)))
        return tuple(_event(row) for row in rows)


def _event(row: Row[Any]) -> EventRow:
    return EventRow(**row._asdict())
