"""Payloads of deliveries: compressed, and dropped once handled."""

from __future__ import annotations

import zlib

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

DELIVERIES = sa.table(
    "deliveries", sa.column("id", sa.Text), sa.column("state", sa.Text), sa.column("payload", sa.LargeBinary)
)


def upgrade() -> None:
    """Drop the payloads of handled deliveries, and compress the others one by one: there are few."""
    op.execute("ALTER TABLE deliveries RENAME COLUMN body TO payload")
    handled = DELIVERIES.c.state.in_(("done", "ignored"))
    connection = op.get_bind()
    connection.execute(DELIVERIES.update().where(handled).values(payload=b""))
    ids = connection.execute(sa.select(DELIVERIES.c.id).where(~handled)).scalars().all()
    for delivery in ids:
        mine = DELIVERIES.c.id == delivery
        payload = connection.execute(sa.select(DELIVERIES.c.payload).where(mine)).scalar_one()
        connection.execute(DELIVERIES.update().where(mine).values(payload=zlib.compress(bytes(payload), 6)))
