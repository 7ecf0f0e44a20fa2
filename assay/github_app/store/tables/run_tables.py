"""The tables of validation runs, and their rows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, Integer, LargeBinary, text
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import Big, Choice, Json, Kept, Key, StoredRow, Words, described, of_a_pull


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
_HAS_REPORT = "report IS NOT NULL"
ENDED = (RunState.completed, RunState.superseded, RunState.cancelled, RunState.failed)
"""`superseded`: a newer head was pushed. `cancelled`: a user stopped it. `failed`: validation failed."""
UNENDED = tuple(_RANKS)


class RunRow(StoredRow):
    """One validation of one head. `turn` counts the runs of that head from 1; `number` is None for a merge group.

    `superseded_by` is the newer head of a superseded run, `error` why a run was cancelled or failed, and `incident` the
    id by which to find a failure in the log. `risk_level` is the higher of `likelihood_level` and `floor_level`.
    """

    __tablename__ = "runs"
    __table_args__ = (
        of_a_pull(),
        Index(None, "repository_id", "number", "head_sha"),
        Index(None, "state", "wait_until"),
        Index(None, "executor", "state"),
        Index("ix_runs_with_report", "reported_at", sqlite_where=text(_HAS_REPORT), postgresql_where=text(_HAS_REPORT)),
        described(
            "One validation of one head; `report` is its JSON, zlib-compressed, until `keep_days` are over.", Kept.pull
        ),
    )

    id: Mapped[Key]
    external_id: Mapped[str] = mapped_column(unique=True)
    repository_id: Mapped[Big]
    number: Mapped[int | None]
    head_sha: Mapped[str]
    base_sha: Mapped[str | None]
    turn: Mapped[int]
    trigger: Mapped[str]
    request_key: Mapped[str | None] = mapped_column(unique=True)
    state: Mapped[RunState] = mapped_column(Choice(RunState))
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    changed_at: Mapped[datetime]
    wait_until: Mapped[datetime | None]
    executor: Mapped[str | None]
    process_group: Mapped[int | None]
    check_run_id: Mapped[Big | None]
    superseded_by: Mapped[str | None]
    error: Mapped[str | None]
    incident: Mapped[str | None]
    conclusion: Mapped[str | None]
    title: Mapped[str | None]
    risk_level: Mapped[str | None]
    likelihood_level: Mapped[str | None]
    floor_level: Mapped[str | None]
    is_hold: Mapped[bool | None]
    lacks_results: Mapped[bool | None]
    config_hash: Mapped[str | None]
    durations_s: Mapped[Mapping[str, float] | None] = mapped_column(Json)
    cost_usd: Mapped[float | None]
    num_findings: Mapped[int | None]
    num_blocking: Mapped[int | None]
    reported_at: Mapped[datetime | None]
    report = mapped_column(LargeBinary, deferred=True)


class FindingRow(StoredRow):
    """A finding of a run; `is_blocking` is whether it counts in the run's verdict."""

    __tablename__ = "findings"
    __table_args__ = (
        Index(None, "rule"),
        described("Findings of a run; the id is the same across pushes.", Kept.pull),
    )

    finding_id: Mapped[Key]
    tier: Mapped[str]
    severity: Mapped[str]
    rule: Mapped[str]
    file: Mapped[str]
    message: Mapped[str]
    line: Mapped[int | None] = mapped_column(default=None)
    end_line: Mapped[int | None] = mapped_column(default=None)
    tool: Mapped[str | None] = mapped_column(default=None)
    is_introduced: Mapped[bool] = mapped_column(default=True)
    is_blocking: Mapped[bool] = mapped_column(default=False)
    confidence: Mapped[float | None] = mapped_column(default=None)
    run_id: Mapped[str] = mapped_column(
        ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True, init=False, repr=False, compare=False
    )


class FactorRow(StoredRow):
    """A statement on a run's risk; one that sets no level has none."""

    __tablename__ = "risk_factors"
    __table_args__ = described(
        "Statements on a run's risk, in the report's order; one that sets no level has none.", Kept.pull
    )

    signal: Mapped[str]
    level: Mapped[str | None]
    reason: Mapped[str]
    run_id = mapped_column(Words, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    position = mapped_column(Integer, primary_key=True)
