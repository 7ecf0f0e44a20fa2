"""Evaluations of tasks: success, failure categories, evidence and suggestions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Index, Integer, Table, select

from assay.github_app.store.database.columns import BIG, METADATA, Json, UtcTime, Words
from assay.github_app.store.database.database import Database, by_key, insert_new, locked, put

EVALUATIONS = Table(
    "evaluations",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("task_id", Words, primary_key=True),
    Column("number", Integer()),
    Column("is_success", Boolean()),
    Column("category", Words),
    Column("is_against_agent", Boolean(), nullable=False),
    Column("failures", Json, nullable=False),
    Column("judged_by", Words, nullable=False),
    Column("at", UtcTime, nullable=False),
    Index(None, "repository_id", "at"),
    info={"holds": "Per task: success or not (null: open), the category of failure, evidence, suggestions."},
)


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """The evaluation of one task. `is_success` is None while it is open; `category` None without a failure.

    `failures` are mappings {category, confidence, evidence: [{source, ref, text}], suggestion: {goes_to, text}}, the
    most likely first. `judged_by` is `rules`, or the model's name if a model was used.
    """

    repository_id: int
    task_id: str
    number: int | None
    is_success: bool | None
    category: str | None
    is_against_agent: bool
    failures: tuple[Mapping[str, Any], ...]
    judged_by: str
    at: datetime


class Evaluations:
    """The table `evaluations`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, row: EvaluationRow) -> bool:
        """Store an evaluation; return False if a newer one is stored, or only the time differs."""
        key = {"repository_id": row.repository_id, "task_id": row.task_id}
        values = {**asdict(row), "failures": [dict(one) for one in row.failures]}
        with self._database.write() as connection:
            if insert_new(connection, EVALUATIONS, values):
                return True
            known = locked(connection, EVALUATIONS, key)
            if known is None or known.at > row.at or {**known._asdict(), "at": row.at} == values:
                return False
            put(connection, EVALUATIONS, values)
            return True

    def get(self, repository_id: int, task_id: str) -> EvaluationRow | None:
        """Return the result for a task."""
        with self._database.read() as connection:
            found = connection.execute(
                by_key(EVALUATIONS, {"repository_id": repository_id, "task_id": task_id})
            ).one_or_none()
        return None if found is None else _row(found)

    def of(self, repository_id: int, *, since: datetime | None = None) -> tuple[EvaluationRow, ...]:
        """Return the results of a repository, oldest first."""
        wanted = select(EVALUATIONS).where(EVALUATIONS.c.repository_id == repository_id)
        if since is not None:
            wanted = wanted.where(EVALUATIONS.c.at >= since)
        with self._database.read() as connection:
            found = list(connection.execute(wanted.order_by(EVALUATIONS.c.at, EVALUATIONS.c.task_id)))
        return tuple(_row(one) for one in found)


def _row(found: Any) -> EvaluationRow:
    return EvaluationRow(**{**found._asdict(), "failures": tuple(found.failures)})
