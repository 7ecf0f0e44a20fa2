"""Issues of pull requests and tasks, and the state of a task's branch."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; the next description of a pull request fills its issues."""
    for name in ("pulls", "tasks"):
        op.add_column(name, sa.Column("issues", sa.Text()))
    op.add_column("tasks", sa.Column("branch_state", sa.Text()))
    op.create_index("ix_tasks_repository_id_branch", "tasks", ["repository_id", "branch"])
