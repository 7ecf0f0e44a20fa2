"""Memory evaluations for the pages: scores without answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Index, select
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import Big, BigKey, Json, Kept, Key, StoredRow, described
from assay.github_app.store.database.database import Tables, insert_new, locked, put, values_of


class MemoryRunRow(StoredRow):
    """One evaluation. Scores are 0..1; `overall_score` is None if nothing was graded.

    `fact_recall` is that of a store that was read as a whole, else None. `comparable` is None for evaluations stored
    before it was recorded.

    `categories` is category -> mean score, `baselines` name -> overall score on the same questions. An evaluation from
    a workflow has the `run_id` and `name` of its artifact, `regression` (`true`, `false`, `unknown`), and in `change`
    the comparison with the previous one: {before, after, num_pairs, low, high, p_value, baseline_run,
    measure}.
    """

    __tablename__ = "memory_runs"
    __table_args__ = (
        Index(None, "repository_id", "at"),
        described("Memory evaluations: scores by category; `key`: hash of the report, or its run.", Kept.history_days),
    )

    repository_id: Mapped[BigKey]
    key: Mapped[Key]
    at: Mapped[datetime]
    agent: Mapped[str]
    grading: Mapped[str]
    seed: Mapped[str | None]
    num_turns: Mapped[int]
    num_questions: Mapped[int]
    overall_score: Mapped[float | None]
    categories: Mapped[Mapping[str, float | None]] = mapped_column(Json)
    baselines: Mapped[Mapping[str, float | None]] = mapped_column(Json)
    why_invalid: Mapped[str | None]
    kept_by: Mapped[str | None]
    name: Mapped[str | None] = mapped_column(default=None)
    run_id: Mapped[Big | None] = mapped_column(default=None)
    run_attempt: Mapped[int | None] = mapped_column(default=None)
    regression: Mapped[str | None] = mapped_column(default=None)
    change: Mapped[Mapping[str, Any] | None] = mapped_column(default=None)
    fact_recall: Mapped[float | None] = mapped_column(default=None)
    comparable: Mapped[bool | None] = mapped_column(default=None)


class MemoryRuns(Tables):
    """The table `memory_runs`."""

    def put(self, run: MemoryRunRow) -> bool:
        """Store an evaluation; return False if it is stored already."""
        with self._database.write() as connection:
            return insert_new(connection, MemoryRunRow, values_of(run))

    def put_posted(self, run: MemoryRunRow) -> bool:
        """Store an evaluation from a workflow in place of an earlier attempt; return False if one as new is stored."""
        with self._database.write() as connection:
            if insert_new(connection, MemoryRunRow, values_of(run)):
                return True
            known = locked(connection, MemoryRunRow, {"repository_id": run.repository_id, "key": run.key})
            if known is None or (known.run_attempt or 0) >= (run.run_attempt or 0):
                return False
            put(connection, MemoryRunRow, values_of(run))
            return True

    def get(self, repository_id: int, key: str) -> MemoryRunRow | None:
        """Return the evaluation with this key."""
        return self._database.one(select(MemoryRunRow).filter_by(repository_id=repository_id, key=key))

    def before(self, run: MemoryRunRow) -> MemoryRunRow | None:
        """Return the previous posted evaluation of the same name."""
        wanted = select(MemoryRunRow).where(
            MemoryRunRow.repository_id == run.repository_id,
            MemoryRunRow.name == run.name,
            MemoryRunRow.at < run.at,
            MemoryRunRow.key != run.key,
        )
        return self._database.one(wanted.order_by(MemoryRunRow.at.desc()).limit(1))

    def of(self, repository_ids: Sequence[int], since: datetime | None = None) -> tuple[MemoryRunRow, ...]:
        """Return the evaluations of some repositories, oldest first."""
        wanted = select(MemoryRunRow).where(MemoryRunRow.repository_id.in_(tuple(repository_ids)))
        if since is not None:
            wanted = wanted.where(MemoryRunRow.at >= since)
        return self._database.rows(wanted.order_by(MemoryRunRow.at, MemoryRunRow.key))
