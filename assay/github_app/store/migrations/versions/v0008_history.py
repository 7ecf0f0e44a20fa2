"""Columns for imported history: the size of each head, and the progress of the import."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table and the columns."""
    op.add_column("pull_heads", sa.Column("num_added", sa.Integer()))
    op.add_column("pull_heads", sa.Column("num_removed", sa.Integer()))
    op.add_column("pull_heads", sa.Column("counted_at", sa.DateTime(timezone=True)))
    op.create_table(
        "synced_pulls",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("reading", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True)),
        sa.Column("synced_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id", "number"],
            ["pulls.repository_id", "pulls.number"],
            name=op.f("fk_synced_pulls_repository_id_number"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("repository_id", "number", name=op.f("pk_synced_pulls")),
    )
