"""Agent sessions as neutral steps: calls, failures and durations, without prompts and output."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Index, LargeBinary, select
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import Big, Kept, Key, StoredRow, described
from assay.github_app.store.database.database import Tables, insert_new, locked, put, values_of

MOST_STEPS_BYTES = 32 * 1024 * 1024
"""Maximum unpacked size of a trace's steps."""


class TraceRow(StoredRow):
    """A session of an agent. `ending` is completed, failed, aborted, out_of_time or unknown; `source` its format."""

    __tablename__ = "traces"
    __table_args__ = (
        Index(None, "repository_id", "task_id"),
        Index(None, "seen_at"),
        described(
            "Sessions of agents as neutral steps (`steps`: JSON, zlib), until `keep_days` are over.", Kept.keep_days
        ),
    )

    id: Mapped[Key]
    repository_id: Mapped[Big]
    task_id: Mapped[str | None]
    source: Mapped[str]
    session_id: Mapped[str | None]
    agent: Mapped[str | None]
    model: Mapped[str | None]
    ending: Mapped[str]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    duration_s: Mapped[float | None]
    num_tokens_in: Mapped[Big | None]
    num_tokens_out: Mapped[Big | None]
    num_steps: Mapped[int]
    num_tool_calls: Mapped[int]
    num_errors: Mapped[int]
    told_by: Mapped[str | None]
    seen_at: Mapped[datetime]
    steps = mapped_column(LargeBinary, nullable=False, deferred=True)


class Traces(Tables):
    """The table `traces`."""

    def put(self, row: TraceRow, steps: Sequence[Mapping[str, Any]]) -> bool:
        """Store a trace; return False if a version as long is stored: a session only grows."""
        packed = zlib.compress(json.dumps(list(steps), separators=(",", ":"), allow_nan=False).encode(), 6)
        values = {**values_of(row), "steps": packed}
        with self._database.write() as connection:
            if insert_new(connection, TraceRow, values):
                return True
            known = locked(connection, TraceRow, {"id": row.id})
            if known is None or _reach(known) >= _reach(row):
                return False
            put(connection, TraceRow, {**values, "task_id": row.task_id or known.task_id})
            return True

    def get(self, trace_id: str) -> TraceRow | None:
        """Return the trace with this id."""
        return self._database.one(select(TraceRow).filter_by(id=trace_id))

    def of_task(self, repository_id: int, task_id: str) -> tuple[TraceRow, ...]:
        """Return the traces of a task, in order of their start."""
        of_task = select(TraceRow).filter_by(repository_id=repository_id, task_id=task_id)
        return self._database.rows(of_task.order_by(TraceRow.started_at, TraceRow.id))

    def steps(self, trace_id: str) -> tuple[Mapping[str, Any], ...]:
        """Return the steps of a trace, in order; empty if the trace does not exist."""
        with self._database.read() as connection:
            packed = connection.execute(select(TraceRow.steps).where(TraceRow.id == trace_id)).scalar_one_or_none()
        if packed is None:
            return ()
        return tuple(json.loads(zlib.decompressobj().decompress(packed, MOST_STEPS_BYTES)))

    def purge(self, before: datetime) -> int:
        """Delete some older traces; return their number, 0 at the end."""
        return self._database.delete_some(TraceRow, TraceRow.seen_at < before)


def _reach(row: TraceRow) -> tuple[int, float]:
    return row.num_steps, row.ended_at.timestamp() if row.ended_at else 0.0
