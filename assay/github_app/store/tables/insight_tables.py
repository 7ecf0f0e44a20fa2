"""Tables of insights and their rows; the full-text index differs by database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, LargeBinary, Table

from assay.github_app.store.database.columns import BIG, METADATA, UtcTime, Words

INSIGHTS = Table(
    "insights",
    METADATA,
    Column("id", Words, primary_key=True),
    Column("repository_id", BIG, nullable=False),
    Column("insight_type", Words, nullable=False),
    Column("task_id", Words),
    Column("number", Integer()),
    Column("source", Words, nullable=False),
    Column("told_by", Words),
    Column("agent", Words),
    Column("text", Words, nullable=False),
    Column("is_trusted", Boolean(), nullable=False),
    Column("why_not", Words),
    Column("at", UtcTime, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    Index(None, "repository_id", "at"),
    Index(None, "repository_id", "task_id"),
    info={"holds": "Gaps reported by agents and causes of failed tasks; agents receive trusted ones only."},
)

VECTORS = Table(
    "insight_vectors",
    METADATA,
    Column("insight_id", Words, ForeignKey("insights.id", ondelete="CASCADE"), primary_key=True),
    Column("embedder", Words, primary_key=True),
    Column("vector", LargeBinary(), nullable=False),
    info={"holds": "Embeddings of insights, per embedder: float32, little endian, length 1."},
)

INSIGHT_HANDOUTS = Table(
    "insight_handouts",
    METADATA,
    Column("insight_id", Words, ForeignKey("insights.id", ondelete="CASCADE"), primary_key=True),
    Column("reader", Words, primary_key=True),
    Column("how", Words, primary_key=True),
    Column("repository_id", BIG, nullable=False),
    Column("task_id", Words),
    Column("number", Integer()),
    Column("at", UtcTime, nullable=False),
    Index(None, "repository_id", "task_id"),
    Index(None, "repository_id", "number"),
    info={"holds": "Deliveries of insights to tasks and pull requests: how, and when first."},
)

WORDS_TABLE = "insight_words"
"""SQLite: an FTS5 table (with its shadow tables); PostgreSQL: a `tsvector` under a GIN index."""


PULL_BODY = "pull_body"
"""The `source` of notes in a pull request's description, which change with it."""


class InsightType(StrEnum):
    """Origin of an insight."""

    agent_self_feedback = "agent_self_feedback"
    failure_summary = "failure_summary"
    note = "note"


@dataclass(frozen=True, slots=True)
class InsightRow:
    """An insight for later tasks. `at` is its time, `why_not` the reason if it is untrusted.

    `source` is its origin: api, cli, pull_body, evaluation, mcp. `told_by` names the API client that reported it.
    """

    id: str
    repository_id: int
    insight_type: str
    task_id: str | None
    number: int | None
    source: str
    told_by: str | None
    agent: str | None
    text: str
    is_trusted: bool
    why_not: str | None
    at: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class InsightHandoutRow:
    """First delivery of an insight to a task or a pull request (`reader`; a day if neither is known)."""

    insight_id: str
    reader: str
    how: str
    repository_id: int
    task_id: str | None
    number: int | None
    at: datetime


def is_search_table(name: str | None) -> bool:
    """Return whether a table belongs to the full-text index, which the metadata cannot describe."""
    return name is not None and name.startswith(WORDS_TABLE)
