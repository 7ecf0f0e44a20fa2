"""Requests for validation, and the turns of the repositories that wait."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create the tables. Jobs that are in the queue already run as before; the sweep asks for lost ones again."""
    op.create_table(
        "validation_requests",
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("repository_id", BIG, nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("first_at", TIME, nullable=False),
        sa.Column("is_urgent", sa.Boolean(), nullable=False),
        sa.Column("asked_at", TIME, nullable=False),
        sa.Column("due_at", TIME, nullable=False),
        sa.Column("admitted_at", TIME),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_validation_requests")),
    )
    op.create_index("ix_validation_requests_admitted_at_due_at", "validation_requests", ["admitted_at", "due_at"])
    op.create_index("ix_validation_requests_place_admitted_at", "validation_requests", ["place", "admitted_at"])
    op.create_index("ix_validation_requests_run_id", "validation_requests", ["run_id"])
    op.create_table(
        "validation_turns",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("starts", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("repository_id", name=op.f("pk_validation_turns")),
    )
