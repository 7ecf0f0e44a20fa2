"""Who is signed in to the pages: sessions by the hash of their number, and what each person could read when last asked.

The number itself is only in the visitor's browser. A person's token for GitHub is sealed with a key that is made from
that number, so that whoever reads this table can neither enter nor act as anybody.
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
    info={"holds": "Who is signed in to the pages, by the hash of a number that only their browser has."},
)


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session. `login` is None for the operator, who sees everything; `permissions` is repository id -> level."""

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
        """Let somebody in; sessions that are over are forgotten on the way."""
        values = {name: getattr(session, name) for name in SessionRow.__dataclass_fields__}
        with self._database.write() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.expires_at <= session.created_at))
            put(connection, SESSIONS, {**values, "permissions": _kept(session.permissions)})

    def get(self, key: str, now: datetime) -> SessionRow | None:
        """The session, unless it is over."""
        with self._database.read() as connection:
            row = connection.execute(by_key(SESSIONS, {"key": key})).one_or_none()
        found = None if row is None else _session(row)
        return found if found is not None and found.expires_at > now else None

    def checked(self, key: str, permissions: Mapping[int, str], at: datetime) -> None:
        """GitHub was asked anew what this person may read."""
        with self._database.write() as connection:
            changes = {"permissions": _kept(permissions), "checked_at": at}
            connection.execute(update(SESSIONS).where(SESSIONS.c.key == key).values(**changes))

    def end(self, key: str) -> bool:
        """Let nobody in by this number any more; whether somebody was in."""
        with self._database.write() as connection:
            return connection.execute(delete(SESSIONS).where(SESSIONS.c.key == key)).rowcount > 0


def _kept(permissions: Mapping[int, str]) -> dict[str, str]:
    return {str(repository_id): str(level) for repository_id, level in permissions.items()}


def _session(row: Row[tuple[object, ...]]) -> SessionRow:
    values = row._asdict()
    permissions = {int(repository_id): level for repository_id, level in values["permissions"].items()}
    return SessionRow(**{**values, "permissions": permissions})
