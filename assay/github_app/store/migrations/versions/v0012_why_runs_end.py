"""Why a run ended: the head that superseded it, and the incident of a failure."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    for name in ("superseded_by", "incident"):
        op.add_column("runs", sa.Column(name, sa.Text()))
