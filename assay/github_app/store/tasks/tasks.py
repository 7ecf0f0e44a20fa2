"""Tasks of agents, as far as reported."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any, TypedDict, Unpack

from sqlalchemy import Index, func, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import Big, BigKey, Choice, Json, Kept, Key, StoredRow, clean, described
from assay.github_app.store.database.database import Tables, insert_new, locked


class TaskStatus(StrEnum):
    """Status of an ended task, in the harness's terms."""

    completed = "COMPLETED"
    failed = "FAILED"
    timed_out = "TIMED_OUT"


FAILED_STATUSES = (TaskStatus.failed, TaskStatus.timed_out)
"""Statuses of a task that failed."""


class BranchState(TypedDict):
    """State of a task's branch. `exists` is None for the branch of a fork, which the App may not read.

    `num_ahead` counts its commits that `base` lacks, None if unknown; `open_pull` is the open pull request from it.
    """

    name: str
    exists: bool | None
    head_sha: str | None
    base: str | None
    num_ahead: int | None
    open_pull: int | None


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
    requested_by: str | None
    submitted_at: datetime | None
    status_at: datetime | None
    request: str | None
    num_tokens_in: int | None
    num_tokens_out: int | None
    duration_s: float | None
    told_by: str | None
    issues: tuple[str, ...] | None


class TaskRow(StoredRow):
    """A task. `status` is None while its result is unknown; `risk_level` is that of the newest validated head.

    `status_at` is the time of the status, `request` the instruction, `told_by` the last API client that reported it.
    `issues` are the reported ones, as `owner/name#12`; `branch_state` is known from the task's end.
    """

    __tablename__ = "tasks"
    __table_args__ = (
        Index(None, "repository_id", "number"),
        Index(None, "repository_id", "created_at"),
        Index(None, "repository_id", "branch"),
        described("Tasks of agents by repository and id; an unknown status is null.", Kept.task),
    )

    repository_id: Mapped[BigKey]
    id: Mapped[Key]
    number: Mapped[int | None]
    status: Mapped[TaskStatus | None] = mapped_column(Choice(TaskStatus))
    error_message: Mapped[str | None]
    pr_url: Mapped[str | None]
    branch: Mapped[str | None]
    agent: Mapped[str | None]
    model: Mapped[str | None]
    prompt_version: Mapped[str | None]
    risk_level: Mapped[str | None]
    memory_state: Mapped[str | None]
    submitted_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    status_at: Mapped[datetime | None] = mapped_column(default=None)
    request: Mapped[str | None] = mapped_column(default=None)
    num_tokens_in: Mapped[Big | None] = mapped_column(default=None)
    num_tokens_out: Mapped[Big | None] = mapped_column(default=None)
    duration_s: Mapped[float | None] = mapped_column(default=None)
    told_by: Mapped[str | None] = mapped_column(default=None)
    requested_by: Mapped[str | None] = mapped_column(default=None)
    issues: Mapped[tuple[str, ...]] = mapped_column(nullable=True, default=())
    branch_state: Mapped[BranchState | None] = mapped_column(Json, default=None)


class Tasks(Tables):
    """The table `tasks`."""

    def put(self, repository_id: int, task_id: str, at: datetime, **fields: Unpack[TaskFields]) -> None:
        """Create or update a task. Missing fields, or None, keep the stored values.

        The status with the later `status_at` (by default `at`) wins: an older one replaces neither it nor its error.
        """
        key = {"repository_id": repository_id, "id": task_id}
        values: dict[str, Any] = {name: value for name, value in fields.items() if value is not None}
        if "status" in values:
            values.setdefault("status_at", at)
        with self._database.write() as connection:
            if insert_new(connection, TaskRow, {**key, **values, "created_at": at, "updated_at": at}):
                return
            row = locked(connection, TaskRow, key)
            if row is not None:
                values = _no_older_status(values, row)
                if row.branch_state is not None and values.get("branch", row.branch) != row.branch:
                    values["branch_state"] = None
            if row is not None and any(getattr(row, name) != value for name, value in values.items()):
                changes = {**values, "updated_at": max(at, row.updated_at)}
                connection.execute(update(TaskRow).filter_by(**key).values(**changes))

    def get(self, repository_id: int, task_id: str) -> TaskRow | None:
        """Return the task with this id in this repository."""
        return self._database.one(select(TaskRow).filter_by(repository_id=repository_id, id=task_id))

    def of_pull(self, repository_id: int, number: int) -> tuple[TaskRow, ...]:
        """Return the tasks of a pull request, the most recently updated first."""
        of = (TaskRow.repository_id == repository_id, TaskRow.number == number)
        ordered = select(TaskRow).where(*of).order_by(TaskRow.updated_at.desc(), TaskRow.id)
        return self._database.rows(ordered)

    def ended_on(self, repository_id: int, branch: str) -> tuple[TaskRow, ...]:
        """Return the ended tasks with this branch."""
        named = select(TaskRow).where(TaskRow.repository_id == repository_id, TaskRow.branch == clean(branch))
        return self._database.rows(named.where(TaskRow.status.is_not(None)).order_by(TaskRow.id))

    def without_branch_state(self, since: datetime) -> tuple[TaskRow, ...]:
        """Return the ended tasks updated since then whose branch was not looked up yet, newest first."""
        missing = TaskRow.status.is_not(None) & TaskRow.branch.is_not(None) & TaskRow.branch_state.is_(None)
        recent = select(TaskRow).where(missing, TaskRow.updated_at >= since)
        return self._database.rows(recent.order_by(TaskRow.updated_at.desc(), TaskRow.repository_id, TaskRow.id))

    def set_branch_state(self, repository_id: int, task_id: str, state: BranchState) -> None:
        """Store the state of a task's branch, unless the task has another branch by now."""
        key = {"repository_id": repository_id, "id": task_id, "branch": state["name"]}
        with self._database.write() as connection:
            connection.execute(update(TaskRow).filter_by(**key).values(branch_state=dict(state)))

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
        wanted = select(TaskRow).where(TaskRow.repository_id == repository_id)
        if status is not None:
            wanted = wanted.where(TaskRow.status == status)
        if before is not None:
            at, last = before
            wanted = wanted.where((TaskRow.created_at < at) | ((TaskRow.created_at == at) & (TaskRow.id < last)))
        if containing is not None:
            looked = (TaskRow.id, TaskRow.branch, TaskRow.request, TaskRow.error_message, TaskRow.pr_url)
            small = clean(containing).lower()
            found = [func.lower(column).contains(small, autoescape=True) for column in looked]
            wanted = wanted.where(or_(*found))
        ordered = wanted.order_by(TaskRow.created_at.desc(), TaskRow.id.desc()).limit(limit)
        return self._database.rows(ordered)


def _no_older_status(values: dict[str, Any], row: TaskRow) -> dict[str, Any]:
    """Return the reported values, without a status older than the stored one."""
    if "status" not in values or row.status_at is None or row.status_at <= values["status_at"]:
        return values
    return {name: value for name, value in values.items() if name not in ("status", "status_at", "error_message")}
