"""Names of the checks that branches require, for all pull requests of a repository."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("repositories", sa.Column("required_checks", sa.Text()))
