"""Deliveries of insights, as already stored for rules."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "insight_handouts",
        sa.Column("insight_id", sa.Text(), nullable=False),
        sa.Column("reader", sa.Text(), nullable=False),
        sa.Column("how", sa.Text(), nullable=False),
        sa.Column("repository_id", BIG, nullable=False),
        sa.Column("task_id", sa.Text()),
        sa.Column("number", sa.Integer()),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["insight_id"], ["insights.id"], name=op.f("fk_insight_handouts_insight_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("insight_id", "reader", "how", name=op.f("pk_insight_handouts")),
    )
    for other in ("task_id", "number"):
        name = op.f(f"ix_insight_handouts_repository_id_{other}")
        op.create_index(name, "insight_handouts", ["repository_id", other])
