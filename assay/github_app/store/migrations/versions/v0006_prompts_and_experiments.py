"""Tables of prompt versions and experiments."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "experiments",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("salt", sa.Text(), nullable=False),
        sa.Column("variants", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("alpha", sa.Float(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text()),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.Column("ended_by", sa.Text()),
        sa.Column("conclusion", sa.Text()),
        sa.PrimaryKeyConstraint("repository_id", "name", name=op.f("pk_experiments")),
    )
    op.create_table(
        "experiment_assignments",
        sa.Column("repository_id", BIG, autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["repository_id", "name"],
            ["experiments.repository_id", "experiments.name"],
            name=op.f("fk_experiment_assignments_repository_id_name"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("repository_id", "name", "task_id", name=op.f("pk_experiment_assignments")),
    )
