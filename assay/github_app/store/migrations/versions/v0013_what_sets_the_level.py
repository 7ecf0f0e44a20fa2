"""Likelihood and policy floor of a run, and facts: risk factors without a level."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, and allow factors without a level."""
    for name in ("likelihood_level", "floor_level"):
        op.add_column("runs", sa.Column(name, sa.Text()))
    with op.batch_alter_table("risk_factors") as table:
        table.alter_column("level", existing_type=sa.Text(), nullable=True)
