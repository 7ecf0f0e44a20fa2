"""The editor of a comment or a review, if not its author."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the columns."""
    op.add_column("comments", sa.Column("edited_by", sa.Text()))
    op.add_column("reviews", sa.Column("edited_by", sa.Text()))
