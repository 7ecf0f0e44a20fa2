"""Tables of the pages: sessions and memory evaluations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "sessions",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("login", sa.Text()),
        sa.Column("person_id", BIG),
        sa.Column("sealed_token", sa.Text()),
        sa.Column("permissions", sa.Text(), nullable=False),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_sessions")),
    )
    op.create_index(op.f("ix_sessions_expires_at"), "sessions", ["expires_at"])
    op.create_table(
        "memory_runs",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("grading", sa.Text(), nullable=False),
        sa.Column("seed", sa.Text()),
        sa.Column("num_turns", sa.Integer(), nullable=False),
        sa.Column("num_questions", sa.Integer(), nullable=False),
        sa.Column("overall_score", sa.Float()),
        sa.Column("categories", sa.Text(), nullable=False),
        sa.Column("baselines", sa.Text(), nullable=False),
        sa.Column("why_invalid", sa.Text()),
        sa.Column("kept_by", sa.Text()),
        sa.PrimaryKeyConstraint("repository_id", "key", name=op.f("pk_memory_runs")),
    )
    op.create_index(op.f("ix_memory_runs_repository_id_at"), "memory_runs", ["repository_id", "at"])
