"""Evaluations of tasks: success, failure categories, evidence and suggestions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Index, select
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import BigKey, JsonAs, Kept, Key, StoredRow, described
from assay.github_app.store.database.database import Tables, insert_new, locked, put, values_of


class EvaluationRow(StoredRow):
    """The evaluation of one task. `is_success` is None while it is open; `category` None without a failure.

    `failures` are mappings {category, evidence: [{source, ref, text}], suggestion: {goes_to, text}}, the
    first of `Category` first. `judged_by` is `rules`, or the model's name if a model was used.
    """

    __tablename__ = "evaluations"
    __table_args__ = (
        Index(None, "repository_id", "at"),
        described("Per task: success or not (null: open), the category of failure, evidence, suggestions.", Kept.task),
    )

    repository_id: Mapped[BigKey]
    task_id: Mapped[Key]
    number: Mapped[int | None]
    is_success: Mapped[bool | None]
    category: Mapped[str | None]
    is_against_agent: Mapped[bool]
    failures: Mapped[tuple[Mapping[str, Any], ...]] = mapped_column(JsonAs(tuple))
    judged_by: Mapped[str]
    at: Mapped[datetime]


class Evaluations(Tables):
    """The table `evaluations`."""

    def put(self, row: EvaluationRow) -> bool:
        """Store an evaluation; return False if a newer one is stored, or only the time differs."""
        key = {"repository_id": row.repository_id, "task_id": row.task_id}
        values = values_of(row)
        with self._database.write() as connection:
            if insert_new(connection, EvaluationRow, values):
                return True
            known = locked(connection, EvaluationRow, key)
            if known is None or known.at > row.at or replace(known, at=row.at) == row:
                return False
            put(connection, EvaluationRow, values)
            return True

    def get(self, repository_id: int, task_id: str) -> EvaluationRow | None:
        """Return the result for a task."""
        return self._database.one(select(EvaluationRow).filter_by(repository_id=repository_id, task_id=task_id))

    def of(self, repository_id: int, *, since: datetime | None = None) -> tuple[EvaluationRow, ...]:
        """Return the results of a repository, oldest first."""
        wanted = select(EvaluationRow).where(EvaluationRow.repository_id == repository_id)
        if since is not None:
            wanted = wanted.where(EvaluationRow.at >= since)
        return self._database.rows(wanted.order_by(EvaluationRow.at, EvaluationRow.task_id))
