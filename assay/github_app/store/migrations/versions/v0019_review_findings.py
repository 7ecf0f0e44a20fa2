"""Findings of model reviews, with their outcomes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table; findings of earlier reviews are not in it."""
    texts = ("rule", "question", "prompt", "prompts", "model", "severity")
    op.create_table(
        "review_findings",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("finding_id", sa.Text(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in texts),
        sa.Column("is_demonstrated", sa.Boolean(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("file", "message", "first_sha", "last_sha")),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("outcome", sa.Text()),
        sa.Column("decided_by", sa.Text()),
        sa.Column("decided_at", sa.DateTime(timezone=True)),
        sa.Column("decider", sa.Text()),
        sa.Column("by_author", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id", "number"],
            ["pulls.repository_id", "pulls.number"],
            name=op.f("fk_review_findings_repository_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("repository_id", "number", "finding_id", name=op.f("pk_review_findings")),
    )
    op.create_index("ix_review_findings_repository_id_outcome", "review_findings", ["repository_id", "outcome"])
