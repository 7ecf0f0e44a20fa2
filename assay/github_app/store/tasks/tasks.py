"""Tasks of agents, as far as reported."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypedDict, Unpack

from sqlalchemy import Column, Float, Index, Integer, Row, Table, func, or_, select, update

from assay.github_app.store.database.columns import BIG, METADATA, UtcTime, Words, clean
from assay.github_app.store.database.database import Database, by_key, insert_new, locked


class TaskStatus(StrEnum):
    """Status of an ended task, in the harness's terms."""

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
    Column("status_at", UtcTime),
    Column("request", Words),
    Column("num_tokens_in", BIG),
    Column("num_tokens_out", BIG),
    Column("duration_s", Float()),
    Column("told_by", Words),
    Index(None, "repository_id", "number"),
    Index(None, "repository_id", "created_at"),
    info={"holds": "Tasks of agents by repository and id; an unknown status is null."},
)


class TaskFields(TypedDict, total=False):
    """Reported fields of a task. None means unknown, and never replaces a stored value."""

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
    status_at: datetime | None
    request: str | None
    num_tokens_in: int | None
    num_tokens_out: int | None
    duration_s: float | None
    told_by: str | None


@dataclass(frozen=True, slots=True)
class TaskRow:
    """A task. `status` is None while its result is unknown; `risk_level` is that of the newest validated head.

    `status_at` is the time of the status, `request` the instruction, `told_by` the last API client that reported it.
    """

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
    status_at: datetime | None = None
    request: str | None = None
    num_tokens_in: int | None = None
    num_tokens_out: int | None = None
    duration_s: float | None = None
    told_by: str | None = None


class Tasks:
    """The table `tasks`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, repository_id: int, task_id: str, at: datetime, **fields: Unpack[TaskFields]) -> None:
        """Create or update a task. Missing fields, or None, keep the stored values.

        The status with the later `status_at` (by default `at`) wins: an older one replaces neither it nor its error.
        """
        key = {"repository_id": repository_id, "id": task_id}
        values: dict[str, Any] = {name: value for name, value in fields.items() if value is not None}
        if "status" in values:
            values.setdefault("status_at", at)
        with self._database.write() as connection:
            if insert_new(connection, TASKS, {**key, **values, "created_at": at, "updated_at": at}):
                return
            row = locked(connection, TASKS, key)
            if row is not None:
                values = _no_older_status(values, row)
            if row is not None and any(getattr(row, name) != value for name, value in values.items()):
                this = (TASKS.c[name] == value for name, value in key.items())
                changes = {**values, "updated_at": max(at, row.updated_at)}
                connection.execute(update(TASKS).where(*this).values(**changes))

    def get(self, repository_id: int, task_id: str) -> TaskRow | None:
        """Return the task with this id in this repository."""
        with self._database.read() as connection:
            row = connection.execute(by_key(TASKS, {"repository_id": repository_id, "id": task_id})).one_or_none()
        if row is None:
            return None
        return task_row(row)

    def of_pull(self, repository_id: int, number: int) -> tuple[TaskRow, ...]:
        """Return the tasks of a pull request, the most recently updated first."""
        of = (TASKS.c.repository_id == repository_id, TASKS.c.number == number)
        ordered = select(TASKS).where(*of).order_by(TASKS.c.updated_at.desc(), TASKS.c.id)
        with self._database.read() as connection:
            return tuple(task_row(row) for row in connection.execute(ordered))

    def newest(
        self,
        repository_id: int,
        limit: int,
        *,
        before: tuple[datetime, str] | None = None,
        status: TaskStatus | None = None,
        containing: str | None = None,
    ) -> tuple[TaskRow, ...]:
        """Return the newest tasks first; `before` is (`created_at`, `id`) of the last one of the previous page.

        `containing` is searched in id, branch, request, error and address, ignoring case.
        """
        wanted = select(TASKS).where(TASKS.c.repository_id == repository_id)
        if status is not None:
            wanted = wanted.where(TASKS.c.status == status)
        if before is not None:
            at, last = before
            wanted = wanted.where((TASKS.c.created_at < at) | ((TASKS.c.created_at == at) & (TASKS.c.id < last)))
        if containing is not None:
            looked = (TASKS.c[name] for name in ("id", "branch", "request", "error_message", "pr_url"))
            small = clean(containing).lower()
            found = [func.lower(column).contains(small, autoescape=True) for column in looked]
            wanted = wanted.where(or_(*found))
        with self._database.read() as connection:
            ordered = wanted.order_by(TASKS.c.created_at.desc(), TASKS.c.id.desc()).limit(limit)
            return tuple(task_row(row) for row in connection.execute(ordered))


def _no_older_status(values: dict[str, Any], row: Row[Any]) -> dict[str, Any]:
    """Return the reported values, without a status older than the stored one."""
    if "status" not in values or row.status_at is None or row.status_at <= values["status_at"]:
        return values
    return {name: value for name, value in values.items() if name not in ("status", "status_at", "error_message")}


def task_row(row: Row[Any]) -> TaskRow:
    """Convert a row to a task."""
    return TaskRow(**{**row._asdict(), "status": None if row.status is None else TaskStatus(row.status)})
