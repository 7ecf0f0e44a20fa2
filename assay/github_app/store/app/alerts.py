"""Sent alerts, so that none is sent twice."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete
from sqlalchemy.orm import Mapped

from assay.github_app.store.database.columns import Kept, Key, StoredRow, described
from assay.github_app.store.database.database import Tables, insert_new


class AlertRow(StoredRow):
    """A sent alert."""

    __tablename__ = "alerts"
    __table_args__ = described("Sent alerts, by kind and key.", Kept.history_days)

    kind: Mapped[Key]
    key: Mapped[Key]
    at: Mapped[datetime]


class Alerts(Tables):
    """The table `alerts`."""

    def once(self, kind: str, key: str, at: datetime) -> bool:
        """Return True for the first caller with this key, who sends the alert."""
        with self._database.write() as connection:
            return insert_new(connection, AlertRow, {"kind": kind, "key": key, "at": at})

    def take_back(self, kind: str, key: str) -> None:
        """Delete an alert that could not be sent, so that the next caller retries it."""
        self._database.execute(delete(AlertRow).filter_by(kind=kind, key=key))
