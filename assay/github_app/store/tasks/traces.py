"""Agent sessions as neutral steps: calls, failures and durations, without prompts and output."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Float, Index, Integer, LargeBinary, Table, delete, select

from assay.github_app.store.database.columns import BIG, METADATA, UtcTime, Words
from assay.github_app.store.database.database import Database, insert_new, locked, put

MOST_STEPS_BYTES = 32 * 1024 * 1024
"""Maximum unpacked size of a trace's steps."""

TRACES = Table(
    "traces",
    METADATA,
    Column("id", Words, primary_key=True),
    Column("repository_id", BIG, nullable=False),
    Column("task_id", Words),
    Column("source", Words, nullable=False),
    Column("session_id", Words),
    Column("agent", Words),
    Column("model", Words),
    Column("ending", Words, nullable=False),
    Column("started_at", UtcTime),
    Column("ended_at", UtcTime),
    Column("duration_s", Float()),
    Column("num_tokens_in", BIG),
    Column("num_tokens_out", BIG),
    Column("num_steps", Integer(), nullable=False),
    Column("num_tool_calls", Integer(), nullable=False),
    Column("num_errors", Integer(), nullable=False),
    Column("steps", LargeBinary(), nullable=False),
    Column("told_by", Words),
    Column("seen_at", UtcTime, nullable=False),
    Index(None, "repository_id", "task_id"),
    Index(None, "seen_at"),
    info={"holds": "Sessions of agents as neutral steps (`steps`: JSON, zlib), until `keep_days` are over."},
)
_LISTED = [column for column in TRACES.c if column.name != "steps"]


@dataclass(frozen=True, slots=True)
class TraceRow:
    """A session of an agent. `ending` is completed, failed, aborted, out_of_time or unknown; `source` its format."""

    id: str
    repository_id: int
    task_id: str | None
    source: str
    session_id: str | None
    agent: str | None
    model: str | None
    ending: str
    started_at: datetime | None
    ended_at: datetime | None
    duration_s: float | None
    num_tokens_in: int | None
    num_tokens_out: int | None
    num_steps: int
    num_tool_calls: int
    num_errors: int
    told_by: str | None
    seen_at: datetime


class Traces:
    """The table `traces`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, row: TraceRow, steps: Sequence[Mapping[str, Any]]) -> bool:
        """Store a trace; return False if a version as long is stored: a session only grows."""
        packed = zlib.compress(json.dumps(list(steps), separators=(",", ":"), allow_nan=False).encode(), 6)
        values = {column.name: getattr(row, column.name) for column in _LISTED}
        with self._database.write() as connection:
            if insert_new(connection, TRACES, {**values, "steps": packed}):
                return True
            known = locked(connection, TRACES, {"id": row.id})
            if known is None or _reach(known) >= _reach(row):
                return False
            put(connection, TRACES, {**values, "steps": packed, "task_id": row.task_id or known.task_id})
            return True

    def of_task(self, repository_id: int, task_id: str) -> tuple[TraceRow, ...]:
        """Return the traces of a task, in order of their start."""
        of = (TRACES.c.repository_id == repository_id, TRACES.c.task_id == task_id)
        ordered = select(*_LISTED).where(*of).order_by(TRACES.c.started_at, TRACES.c.id)
        with self._database.read() as connection:
            return tuple(TraceRow(**row._asdict()) for row in connection.execute(ordered))

    def steps(self, trace_id: str) -> tuple[Mapping[str, Any], ...]:
        """Return the steps of a trace, in order; empty if the trace does not exist."""
        with self._database.read() as connection:
            packed = connection.execute(select(TRACES.c.steps).where(TRACES.c.id == trace_id)).scalar_one_or_none()
        if packed is None:
            return ()
        return tuple(json.loads(zlib.decompressobj().decompress(packed, MOST_STEPS_BYTES)))

    def purge(self, before: datetime) -> int:
        """Delete older traces; return their number."""
        with self._database.write() as connection:
            return connection.execute(delete(TRACES).where(TRACES.c.seen_at < before)).rowcount


def _reach(row: Any) -> tuple[int, float]:
    return row.num_steps, row.ended_at.timestamp() if row.ended_at else 0.0
