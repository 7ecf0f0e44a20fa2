"""Tasks agents were given, as far as we know of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypedDict, Unpack

from sqlalchemy import Column, Index, Integer, Table, update

from assay.github_app.store.columns import BIG, METADATA, UtcTime, Words
from assay.github_app.store.database import Database, by_key, insert_new, locked


class TaskStatus(StrEnum):
    """How a task ended, in the words of those who run agents."""

    completed = "COMPLETED"
    failed = "FAILED"
    timed_out = "TIMED_OUT"


TASKS = Table(
    "tasks",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("id", Words, primary_key=True),
    Column("number", Integer()),
    Column("status", Words),
    Column("error_message", Words),
    Column("pr_url", Words),
    Column("branch", Words),
    Column("agent", Words),
    Column("model", Words),
    Column("prompt_version", Words),
    Column("risk_level", Words),
    Column("memory_state", Words),
    Column("submitted_at", UtcTime),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Index(None, "repository_id", "number"),
    info={"holds": "Tasks of agents by repository and id; a status nobody told us is null."},
)


class TaskFields(TypedDict, total=False):
    """What may be known of a task. None means "not known", and never replaces what is."""

    number: int | None
    status: TaskStatus | None
    error_message: str | None
    pr_url: str | None
    branch: str | None
    agent: str | None
    model: str | None
    prompt_version: str | None
    risk_level: str | None
    memory_state: str | None
    submitted_at: datetime | None


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task. `status` is None while nobody said how it ended; `risk_level` is that of the newest judged head."""

    repository_id: int
    id: str
    number: int | None
    status: TaskStatus | None
    error_message: str | None
    pr_url: str | None
    branch: str | None
    agent: str | None
    model: str | None
    prompt_version: str | None
    risk_level: str | None
    memory_state: str | None
    submitted_at: datetime | None
    created_at: datetime
    updated_at: datetime


class Tasks:
    """The table `tasks`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, repository_id: int, task_id: str, at: datetime, **fields: Unpack[TaskFields]) -> None:
        """Know of a task, or more about it. Fields not given, or None, keep what is known."""
        key = {"repository_id": repository_id, "id": task_id}
        values: dict[str, Any] = {name: value for name, value in fields.items() if value is not None}
        with self._database.write() as connection:
            if insert_new(connection, TASKS, {**key, **values, "created_at": at, "updated_at": at}):
                return
            row = locked(connection, TASKS, key)
            if row is not None and any(getattr(row, name) != value for name, value in values.items()):
                this = (TASKS.c[name] == value for name, value in key.items())
                changes = {**values, "updated_at": max(at, row.updated_at)}
                connection.execute(update(TASKS).where(*this).values(**changes))

    def get(self, repository_id: int, task_id: str) -> TaskRow | None:
        """The task with this id in this repository."""
        with self._database.read() as connection:
            row = connection.execute(by_key(TASKS, {"repository_id": repository_id, "id": task_id})).one_or_none()
        if row is None:
            return None
        return TaskRow(**{**row._asdict(), "status": None if row.status is None else TaskStatus(row.status)})
