"""Columns of memory evaluations from workflows: their run, and the change of the score."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Add the columns; evaluations imported by hand leave them empty."""
    op.add_column("memory_runs", sa.Column("name", sa.Text()))
    op.add_column("memory_runs", sa.Column("run_id", BIG))
    op.add_column("memory_runs", sa.Column("run_attempt", sa.Integer()))
    op.add_column("memory_runs", sa.Column("regression", sa.Text()))
    op.add_column("memory_runs", sa.Column("change", sa.Text()))
