"""Person who asked for a task, or for the change of a pull request."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; the author asked for a pull request that is not a bot's."""
    for name in ("pulls", "tasks"):
        op.add_column(name, sa.Column("requested_by", sa.Text()))
    pulls = sa.table("pulls", sa.column("requested_by"), sa.column("author"), sa.column("author_kind"))
    is_person = sa.and_(pulls.c.author_kind != "Bot", pulls.c.author.not_like("%[bot]"))
    op.execute(pulls.update().where(is_person).values(requested_by=pulls.c.author))
