"""Web sessions by the hash of their id, with each user's repository permissions as last checked.

The id itself is only in the user's browser. The user's GitHub token is encrypted with a key derived from that id, so
read access to this table allows neither a login nor requests as the user.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, Index, Row, Table, delete, update

from assay.github_app.store.database.columns import BIG, METADATA, Json, UtcTime, Words
from assay.github_app.store.database.database import Database, by_key, put

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("key", Words, primary_key=True),
    Column("login", Words),
    Column("person_id", BIG),
    Column("sealed_token", Words),
    Column("permissions", Json, nullable=False),
    Column("checked_at", UtcTime, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Index(None, "expires_at"),
    info={"holds": "Sessions of the pages' users, by the hash of an id that only their browser has."},
)


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session. `login` is None for the operator, who has access to all; `permissions` is repository id -> level."""

    key: str
    login: str | None
    person_id: int | None
    sealed_token: str | None
    permissions: Mapping[int, str]
    checked_at: datetime
    created_at: datetime
    expires_at: datetime


class Sessions:
    """The table `sessions`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, session: SessionRow) -> None:
        """Insert a session and delete expired ones."""
        values = {name: getattr(session, name) for name in SessionRow.__dataclass_fields__}
        with self._database.write() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.expires_at <= session.created_at))
            put(connection, SESSIONS, {**values, "permissions": _kept(session.permissions)})

    def get(self, key: str, now: datetime) -> SessionRow | None:
        """Return the session unless it has expired."""
        with self._database.read() as connection:
            row = connection.execute(by_key(SESSIONS, {"key": key})).one_or_none()
        found = None if row is None else _session(row)
        return found if found is not None and found.expires_at > now else None

    def checked(self, key: str, permissions: Mapping[int, str], at: datetime) -> None:
        """Store the user's permissions, refreshed from GitHub."""
        with self._database.write() as connection:
            changes = {"permissions": _kept(permissions), "checked_at": at}
            connection.execute(update(SESSIONS).where(SESSIONS.c.key == key).values(**changes))

    def end(self, key: str) -> bool:
        """Delete the session; return whether it existed."""
        with self._database.write() as connection:
            return connection.execute(delete(SESSIONS).where(SESSIONS.c.key == key)).rowcount > 0


def _kept(permissions: Mapping[int, str]) -> dict[str, str]:
    return {str(repository_id): str(level) for repository_id, level in permissions.items()}


def _session(row: Row[tuple[object, ...]]) -> SessionRow:
    values = row._asdict()
    permissions = {int(repository_id): level for repository_id, level in values["permissions"].items()}
    return SessionRow(**{**values, "permissions": permissions})
