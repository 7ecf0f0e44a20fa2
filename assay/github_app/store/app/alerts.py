"""Sent alerts, so that none is sent twice."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Column, Table, delete

from assay.github_app.store.database.columns import METADATA, UtcTime, Words
from assay.github_app.store.database.database import Database, insert_new

ALERTS = Table(
    "alerts",
    METADATA,
    Column("kind", Words, primary_key=True),
    Column("key", Words, primary_key=True),
    Column("at", UtcTime, nullable=False),
    info={"holds": "Sent alerts, by kind and key."},
)


class Alerts:
    """The table `alerts`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def once(self, kind: str, key: str, at: datetime) -> bool:
        """Return True for the first caller with this key, who sends the alert."""
        with self._database.write() as connection:
            return insert_new(connection, ALERTS, {"kind": kind, "key": key, "at": at})

    def take_back(self, kind: str, key: str) -> None:
        """Delete an alert that could not be sent, so that the next caller retries it."""
        with self._database.write() as connection:
            connection.execute(delete(ALERTS).where(ALERTS.c.kind == kind, ALERTS.c.key == key))
