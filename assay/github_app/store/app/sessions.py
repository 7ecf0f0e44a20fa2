"""Web sessions by the hash of their id, with each user's repository permissions as last checked.

The id itself is only in the user's browser. The user's GitHub token is encrypted with a key derived from that id, so
read access to this table allows neither a login nor requests as the user.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Index, delete, select, update
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import Big, JsonAs, Kept, Key, StoredRow, described
from assay.github_app.store.database.database import Tables, put, values_of


def _by_repository(permissions: Mapping[str, str]) -> Mapping[int, str]:
    return {int(repository_id): level for repository_id, level in permissions.items()}


class SessionRow(StoredRow):
    """A session. `login` is None for the operator, who has access to all; `permissions` is repository id -> level."""

    __tablename__ = "sessions"
    __table_args__ = (
        Index(None, "expires_at"),
        described("Sessions of the pages' users, by the hash of an id that only their browser has.", Kept.until_end),
    )

    key: Mapped[Key]
    login: Mapped[str | None]
    person_id: Mapped[Big | None]
    sealed_token: Mapped[str | None]
    permissions: Mapped[Mapping[int, str]] = mapped_column(JsonAs(_by_repository))
    checked_at: Mapped[datetime]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class Sessions(Tables):
    """The table `sessions`."""

    def begin(self, session: SessionRow) -> None:
        """Insert a session and delete expired ones."""
        with self._database.write() as connection:
            connection.execute(delete(SessionRow).where(SessionRow.expires_at <= session.created_at))
            put(connection, SessionRow, values_of(session))

    def get(self, key: str, now: datetime) -> SessionRow | None:
        """Return the session unless it has expired."""
        return self._database.one(select(SessionRow).where(SessionRow.key == key, SessionRow.expires_at > now))

    def checked(self, key: str, permissions: Mapping[int, str], at: datetime) -> None:
        """Store the user's permissions, refreshed from GitHub."""
        self._database.execute(update(SessionRow).filter_by(key=key).values(permissions=permissions, checked_at=at))

    def end(self, key: str) -> bool:
        """Delete the session; return whether it existed."""
        return self._database.execute(delete(SessionRow).filter_by(key=key)) > 0
