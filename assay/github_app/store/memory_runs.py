"""Examinations of agents' memories that were kept for the pages: the scores, not the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Float, Index, Integer, Table, select

from assay.github_app.store.columns import BIG, METADATA, Json, UtcTime, Words
from assay.github_app.store.database import Database, insert_new

MEMORY_RUNS = Table(
    "memory_runs",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("key", Words, primary_key=True),
    Column("at", UtcTime, nullable=False),
    Column("agent", Words, nullable=False),
    Column("grading", Words, nullable=False),
    Column("seed", Words),
    Column("num_turns", Integer(), nullable=False),
    Column("num_questions", Integer(), nullable=False),
    Column("overall_score", Float()),
    Column("categories", Json, nullable=False),
    Column("baselines", Json, nullable=False),
    Column("why_invalid", Words),
    Column("kept_by", Words),
    Index(None, "repository_id", "at"),
    info={"holds": "Examinations of agents' memories: scores by category; `key` is the hash of the report."},
)


@dataclass(frozen=True, slots=True)
class MemoryRunRow:
    """One examination. Scores are 0..1; `overall_score` is None where nothing was graded.

    `categories` is category -> mean score, `baselines` name -> overall score on the same questions.
    """

    repository_id: int
    key: str
    at: datetime
    agent: str
    grading: str
    seed: str | None
    num_turns: int
    num_questions: int
    overall_score: float | None
    categories: Mapping[str, float | None]
    baselines: Mapping[str, float | None]
    why_invalid: str | None
    kept_by: str | None


class MemoryRuns:
    """The table `memory_runs`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, run: MemoryRunRow) -> bool:
        """Keep an examination, once; False when it is known."""
        values: dict[str, Any] = {one.name: getattr(run, one.name) for one in fields(MemoryRunRow)}
        plain = {"categories": dict(run.categories), "baselines": dict(run.baselines)}
        with self._database.write() as connection:
            return insert_new(connection, MEMORY_RUNS, {**values, **plain})

    def of(self, repository_ids: Sequence[int], since: datetime | None = None) -> tuple[MemoryRunRow, ...]:
        """Those of some repositories, oldest first."""
        wanted = select(MEMORY_RUNS).where(MEMORY_RUNS.c.repository_id.in_(tuple(repository_ids)))
        if since is not None:
            wanted = wanted.where(MEMORY_RUNS.c.at >= since)
        with self._database.read() as connection:
            rows = connection.execute(wanted.order_by(MEMORY_RUNS.c.at, MEMORY_RUNS.c.key))
            return tuple(MemoryRunRow(**row._asdict()) for row in rows)
