"""Rules that no newer one ended: a superseded rule has expired."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change the state and drop the column."""
    rules = sa.table("rules", sa.column("state"))
    op.execute(rules.update().where(rules.c.state == "superseded").values(state="expired"))
    # Not as a batch: SQLite would create the table again, and dropping it deletes what refers to its rules.
    op.drop_column("rules", "superseded_by")
