"""Tables of insights and their rows; the full-text index differs by database."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import Big, Kept, Key, StoredRow, described

WORDS_TABLE = "insight_words"
"""SQLite: an FTS5 table (with its shadow tables); PostgreSQL: a `tsvector` under a GIN index."""


PULL_BODY = "pull_body"
"""The `source` of notes in a pull request's description, which change with it."""


class InsightType(StrEnum):
    """Origin of an insight."""

    agent_self_feedback = "agent_self_feedback"
    failure_summary = "failure_summary"
    note = "note"


class InsightRow(StoredRow):
    """An insight for later tasks. `at` is its time, `why_not` the reason if it is untrusted.

    `source` is its origin: api, cli, pull_body, evaluation, mcp. `told_by` names the API client that reported it.
    """

    __tablename__ = "insights"
    __table_args__ = (
        Index(None, "repository_id", "at"),
        Index(None, "repository_id", "task_id"),
        described(
            "Gaps reported by agents and causes of failed tasks; agents receive trusted ones only.", Kept.history_days
        ),
    )

    id: Mapped[Key]
    repository_id: Mapped[Big]
    insight_type: Mapped[str]
    task_id: Mapped[str | None]
    number: Mapped[int | None]
    source: Mapped[str]
    told_by: Mapped[str | None]
    agent: Mapped[str | None]
    text: Mapped[str]
    is_trusted: Mapped[bool]
    why_not: Mapped[str | None]
    at: Mapped[datetime]
    seen_at: Mapped[datetime]


class VectorRow(StoredRow):
    """Embedding of an insight."""

    __tablename__ = "insight_vectors"
    __table_args__ = described(
        "Embeddings of insights, per embedder: float32, little endian, length 1.", Kept.history_days
    )

    insight_id: Mapped[str] = mapped_column(ForeignKey("insights.id", ondelete="CASCADE"), primary_key=True)
    embedder: Mapped[Key]
    vector: Mapped[bytes]


class InsightHandoutRow(StoredRow):
    """First delivery of an insight to a task or a pull request (`reader`; a day if neither is known)."""

    __tablename__ = "insight_handouts"
    __table_args__ = (
        Index(None, "repository_id", "task_id"),
        Index(None, "repository_id", "number"),
        described("Deliveries of insights to tasks and pull requests: how, and when first.", Kept.task),
    )

    insight_id: Mapped[str] = mapped_column(ForeignKey("insights.id", ondelete="CASCADE"), primary_key=True)
    reader: Mapped[Key]
    how: Mapped[Key]
    repository_id: Mapped[Big]
    task_id: Mapped[str | None]
    number: Mapped[int | None]
    at: Mapped[datetime]
