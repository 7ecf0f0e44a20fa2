"""The tables of validation runs, and their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, LargeBinary, Table, UniqueConstraint

from assay.github_app.store.database.columns import BIG, METADATA, Json, UtcTime, Words, of_a_pull


class RunState(StrEnum):
    """queued -> running -> waiting (for the repository's own checks) -> one of the four ends; never back."""

    queued = "queued"
    running = "running"
    waiting = "waiting"
    completed = "completed"
    superseded = "superseded"
    cancelled = "cancelled"
    failed = "failed"

    @property
    def is_ended(self) -> bool:
        return self in ENDED

    @property
    def rank(self) -> int:
        return _RANKS.get(self, len(_RANKS))


_RANKS = {RunState.queued: 0, RunState.running: 1, RunState.waiting: 2}
ENDED = (RunState.completed, RunState.superseded, RunState.cancelled, RunState.failed)
"""`superseded`: a newer head was pushed. `cancelled`: a user stopped it. `failed`: validation failed."""

RUNS = Table(
    "runs",
    METADATA,
    Column("id", Words, primary_key=True),
    Column("external_id", Words, nullable=False),
    Column("repository_id", BIG, nullable=False),
    Column("number", Integer()),
    Column("head_sha", Words, nullable=False),
    Column("base_sha", Words),
    Column("turn", Integer(), nullable=False),
    Column("trigger", Words, nullable=False),
    Column("request_key", Words),
    Column("state", Words, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("started_at", UtcTime),
    Column("ended_at", UtcTime),
    Column("changed_at", UtcTime, nullable=False),
    Column("wait_until", UtcTime),
    Column("executor", Words),
    Column("process_group", Integer()),
    Column("check_run_id", BIG),
    Column("superseded_by", Words),
    Column("error", Words),
    Column("incident", Words),
    Column("conclusion", Words),
    Column("title", Words),
    Column("risk_level", Words),
    Column("is_hold", Boolean()),
    Column("config_hash", Words),
    Column("durations_s", Json),
    Column("cost_usd", Float()),
    Column("num_findings", Integer()),
    Column("num_blocking", Integer()),
    Column("report", LargeBinary),
    Column("reported_at", UtcTime),
    of_a_pull(),
    UniqueConstraint("external_id"),
    UniqueConstraint("request_key"),
    Index(None, "repository_id", "number", "head_sha"),
    Index(None, "state", "wait_until"),
    Index(None, "executor", "state"),
    info={"holds": "One validation of one head; `report` is its JSON, zlib-compressed, until `keep_days` are over."},
)

FINDINGS = Table(
    "findings",
    METADATA,
    Column("run_id", Words, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("finding_id", Words, primary_key=True),
    Column("tier", Words, nullable=False),
    Column("severity", Words, nullable=False),
    Column("rule", Words, nullable=False),
    Column("file", Words, nullable=False),
    Column("line", Integer()),
    Column("end_line", Integer()),
    Column("message", Words, nullable=False),
    Column("tool", Words),
    Column("is_introduced", Boolean(), nullable=False),
    Column("is_blocking", Boolean(), nullable=False),
    Column("confidence", Float()),
    Index(None, "rule"),
    info={"holds": "Findings of a run; the id is the same across pushes."},
)

FACTORS = Table(
    "risk_factors",
    METADATA,
    Column("run_id", Words, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer(), primary_key=True),
    Column("signal", Words, nullable=False),
    Column("level", Words, nullable=False),
    Column("reason", Words, nullable=False),
    Column("value", Json),
    Column("threshold", Json),
    info={"holds": "The reasons for a run's risk level, in the report's order."},
)


@dataclass(frozen=True, slots=True)
class RunRow:
    """One validation of one head. `turn` counts the runs of that head from 1; `number` is None for a merge group.

    `superseded_by` is the newer head of a superseded run, `error` why a run was cancelled or failed, and `incident` the
    id by which to find a failure in the log.
    """

    id: str
    external_id: str
    repository_id: int
    number: int | None
    head_sha: str
    base_sha: str | None
    turn: int
    trigger: str
    request_key: str | None
    state: RunState
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    changed_at: datetime
    wait_until: datetime | None
    executor: str | None
    process_group: int | None
    check_run_id: int | None
    superseded_by: str | None
    error: str | None
    incident: str | None
    conclusion: str | None
    title: str | None
    risk_level: str | None
    is_hold: bool | None
    config_hash: str | None
    durations_s: Mapping[str, float] | None
    cost_usd: float | None
    num_findings: int | None
    num_blocking: int | None
    reported_at: datetime | None


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding of a run; `is_blocking` is whether it counts in the run's verdict."""

    finding_id: str
    tier: str
    severity: str
    rule: str
    file: str
    message: str
    line: int | None = None
    end_line: int | None = None
    tool: str | None = None
    is_introduced: bool = True
    is_blocking: bool = False
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class FactorRow:
    """A reason for the risk level of a run."""

    signal: str
    level: str
    reason: str
    value: float | str | None = None
    threshold: float | str | None = None


def run_row(values: dict[str, Any]) -> RunRow:
    """Convert a row without its report."""
    rest = {name: value for name, value in values.items() if name != "report"}
    return RunRow(**{**rest, "state": RunState(values["state"])})
