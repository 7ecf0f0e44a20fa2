"""Statements on the risk: their text has value and threshold."""

from __future__ import annotations

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop the columns."""
    with op.batch_alter_table("risk_factors") as table:
        table.drop_column("value")
        table.drop_column("threshold")
