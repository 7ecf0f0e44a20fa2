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
    """Compress the payloads of unhandled deliveries one by one: there are few.

    Those of handled ones are not read again. They stay until their rows are deleted, since changing millions of rows
    under the lock that the new name takes would keep webhooks waiting for minutes.
    """
    op.execute("ALTER TABLE deliveries RENAME COLUMN body TO payload")
    unhandled = DELIVERIES.c.state.in_(("received", "started", "failed", "parked"))
    connection = op.get_bind()
    ids = connection.execute(sa.select(DELIVERIES.c.id).where(unhandled)).scalars().all()
    for delivery in ids:
        mine = DELIVERIES.c.id == delivery
        payload = connection.execute(sa.select(DELIVERIES.c.payload).where(mine)).scalar_one()
        connection.execute(DELIVERIES.update().where(mine).values(payload=zlib.compress(bytes(payload), 6)))
