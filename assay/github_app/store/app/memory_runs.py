"""Memory evaluations for the pages: scores without answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Float, Index, Integer, Table, select

from assay.github_app.store.database.columns import BIG, METADATA, Json, UtcTime, Words
from assay.github_app.store.database.database import Database, by_key, insert_new, locked, put

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
    Column("name", Words),
    Column("run_id", BIG),
    Column("run_attempt", Integer()),
    Column("regression", Words),
    Column("change", Json),
    Index(None, "repository_id", "at"),
    info={"holds": "Memory evaluations: scores by category; `key`: hash of the report, or its run."},
)


@dataclass(frozen=True, slots=True)
class MemoryRunRow:
    """One evaluation. Scores are 0..1; `overall_score` is None if nothing was graded.

    `categories` is category -> mean score, `baselines` name -> overall score on the same questions. An evaluation from
    a workflow has the `run_id` and `name` of its artifact, `regression` (`true`, `false`, `unknown`), and in `change`
    the comparison with the previous one: {before, after, num_pairs, low, high, p_value, baseline_run}.
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
    name: str | None = None
    run_id: int | None = None
    run_attempt: int | None = None
    regression: str | None = None
    change: Mapping[str, Any] | None = None


class MemoryRuns:
    """The table `memory_runs`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, run: MemoryRunRow) -> bool:
        """Store an evaluation; return False if it is stored already."""
        with self._database.write() as connection:
            return insert_new(connection, MEMORY_RUNS, _values(run))

    def put_posted(self, run: MemoryRunRow) -> bool:
        """Store an evaluation from a workflow in place of an earlier attempt; return False if one as new is stored."""
        with self._database.write() as connection:
            if insert_new(connection, MEMORY_RUNS, _values(run)):
                return True
            known = locked(connection, MEMORY_RUNS, {"repository_id": run.repository_id, "key": run.key})
            if known is None or (known.run_attempt or 0) >= (run.run_attempt or 0):
                return False
            put(connection, MEMORY_RUNS, _values(run))
            return True

    def get(self, repository_id: int, key: str) -> MemoryRunRow | None:
        """Return the evaluation with this key."""
        with self._database.read() as connection:
            row = connection.execute(by_key(MEMORY_RUNS, {"repository_id": repository_id, "key": key})).one_or_none()
        return None if row is None else MemoryRunRow(**row._asdict())

    def before(self, run: MemoryRunRow) -> MemoryRunRow | None:
        """Return the previous posted evaluation of the same name."""
        wanted = select(MEMORY_RUNS).where(
            MEMORY_RUNS.c.repository_id == run.repository_id,
            MEMORY_RUNS.c.name == run.name,
            MEMORY_RUNS.c.at < run.at,
            MEMORY_RUNS.c.key != run.key,
        )
        with self._database.read() as connection:
            row = connection.execute(wanted.order_by(MEMORY_RUNS.c.at.desc()).limit(1)).one_or_none()
        return None if row is None else MemoryRunRow(**row._asdict())

    def of(self, repository_ids: Sequence[int], since: datetime | None = None) -> tuple[MemoryRunRow, ...]:
        """Return the evaluations of some repositories, oldest first."""
        wanted = select(MEMORY_RUNS).where(MEMORY_RUNS.c.repository_id.in_(tuple(repository_ids)))
        if since is not None:
            wanted = wanted.where(MEMORY_RUNS.c.at >= since)
        with self._database.read() as connection:
            rows = connection.execute(wanted.order_by(MEMORY_RUNS.c.at, MEMORY_RUNS.c.key))
            return tuple(MemoryRunRow(**row._asdict()) for row in rows)


def _values(run: MemoryRunRow) -> dict[str, Any]:
    values = {one.name: getattr(run, one.name) for one in fields(MemoryRunRow)}
    change = None if run.change is None else dict(run.change)
    return {**values, "categories": dict(run.categories), "baselines": dict(run.baselines), "change": change}
