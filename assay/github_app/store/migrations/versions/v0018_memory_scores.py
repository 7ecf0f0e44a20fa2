"""Scores of the memory itself next to those of its answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; earlier evaluations have no value."""
    op.add_column("memory_runs", sa.Column("fact_recall", sa.Float()))
    op.add_column("memory_runs", sa.Column("comparable", sa.Boolean()))
