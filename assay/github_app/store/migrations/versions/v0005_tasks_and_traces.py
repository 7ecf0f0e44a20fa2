"""Tables of agents' reports: tokens, feedback, traces, insights."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)

_WORDS = {
    "sqlite": (
        "CREATE VIRTUAL TABLE insight_words USING fts5(insight_id UNINDEXED, words, tokenize='porter unicode61')",
    ),
    "postgresql": (
        "CREATE TABLE insight_words (insight_id TEXT PRIMARY KEY, words TSVECTOR NOT NULL)",
        "CREATE INDEX ix_insight_words_words ON insight_words USING gin (words)",
    ),
}
"""Full-text index of each database."""


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("repository_ids", sa.Text(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("revoked_at", TIME),
        sa.Column("last_used_at", TIME),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("digest", name=op.f("uq_api_tokens_digest")),
    )
    _tasks()
    _insights()
    _traces()
    _evaluations()
    for statement in _WORDS[op.get_bind().dialect.name]:
        op.execute(sa.text(statement))


def _tasks() -> None:
    for column in (
        sa.Column("status_at", TIME),
        sa.Column("request", sa.Text()),
        sa.Column("num_tokens_in", BIG),
        sa.Column("num_tokens_out", BIG),
        sa.Column("duration_s", sa.Float()),
        sa.Column("told_by", sa.Text()),
    ):
        op.add_column("tasks", column)
    op.create_index(op.f("ix_tasks_repository_id_created_at"), "tasks", ["repository_id", "created_at"])


def _insights() -> None:
    op.create_table(
        "insights",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("repository_id", BIG, nullable=False),
        sa.Column("insight_type", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Text()),
        sa.Column("number", sa.Integer()),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("told_by", sa.Text()),
        sa.Column("agent", sa.Text()),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("is_trusted", sa.Boolean(), nullable=False),
        sa.Column("why_not", sa.Text()),
        sa.Column("at", TIME, nullable=False),
        sa.Column("seen_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_insights")),
    )
    op.create_index(op.f("ix_insights_repository_id_at"), "insights", ["repository_id", "at"])
    op.create_index(op.f("ix_insights_repository_id_task_id"), "insights", ["repository_id", "task_id"])
    op.create_table(
        "insight_vectors",
        sa.Column("insight_id", sa.Text(), nullable=False),
        sa.Column("embedder", sa.Text(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["insight_id"], ["insights.id"], name=op.f("fk_insight_vectors_insight_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("insight_id", "embedder", name=op.f("pk_insight_vectors")),
    )


def _traces() -> None:
    op.create_table(
        "traces",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("repository_id", BIG, nullable=False),
        sa.Column("task_id", sa.Text()),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text()),
        sa.Column("agent", sa.Text()),
        sa.Column("model", sa.Text()),
        sa.Column("ending", sa.Text(), nullable=False),
        sa.Column("started_at", TIME),
        sa.Column("ended_at", TIME),
        sa.Column("duration_s", sa.Float()),
        sa.Column("num_tokens_in", BIG),
        sa.Column("num_tokens_out", BIG),
        sa.Column("num_steps", sa.Integer(), nullable=False),
        sa.Column("num_tool_calls", sa.Integer(), nullable=False),
        sa.Column("num_errors", sa.Integer(), nullable=False),
        sa.Column("steps", sa.LargeBinary(), nullable=False),
        sa.Column("told_by", sa.Text()),
        sa.Column("seen_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_traces")),
    )
    op.create_index(op.f("ix_traces_repository_id_task_id"), "traces", ["repository_id", "task_id"])
    op.create_index(op.f("ix_traces_seen_at"), "traces", ["seen_at"])


def _evaluations() -> None:
    op.create_table(
        "evaluations",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer()),
        sa.Column("is_success", sa.Boolean()),
        sa.Column("category", sa.Text()),
        sa.Column("is_against_agent", sa.Boolean(), nullable=False),
        sa.Column("failures", sa.Text(), nullable=False),
        sa.Column("judged_by", sa.Text(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("repository_id", "task_id", name=op.f("pk_evaluations")),
    )
    op.create_index(op.f("ix_evaluations_repository_id_at"), "evaluations", ["repository_id", "at"])
