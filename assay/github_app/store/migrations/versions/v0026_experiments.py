"""Experiments: tasks are assigned by their hash, and variants are compared by 95 % intervals."""

from __future__ import annotations

from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop the columns."""
    with op.batch_alter_table("experiments") as table:
        table.drop_column("method")
        table.drop_column("alpha")
