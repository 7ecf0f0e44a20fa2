"""Installations of the App and their repositories."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Boolean, Column, Connection, Index, Row, Table, func, select

from assay.github.events.model import RepositoryFacts
from assay.github_app.store.database.columns import BIG, METADATA, UtcTime, Words
from assay.github_app.store.database.database import Database, by_key, insert_new, locked, put


class InstallationState(StrEnum):
    """State of an installation; of two states with the same time, the later member of this list applies."""

    active = "active"
    suspended = "suspended"
    removed = "removed"


INSTALLATIONS = Table(
    "installations",
    METADATA,
    Column("id", BIG, primary_key=True, autoincrement=False),
    Column("account", Words, nullable=False),
    Column("state", Words, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    info={"holds": "Accounts that installed the App."},
)

REPOSITORIES = Table(
    "repositories",
    METADATA,
    Column("id", BIG, primary_key=True, autoincrement=False),
    Column("full_name", Words, nullable=False),
    Column("installation_id", BIG),
    Column("default_branch", Words, nullable=False),
    Column("is_private", Boolean(), nullable=False),
    Column("is_archived", Boolean(), nullable=False),
    Column("is_given", Boolean(), nullable=False),
    Column("given_at", UtcTime),
    Column("seen_at", UtcTime, nullable=False),
    Index(None, "full_name"),
    Index(None, "installation_id"),
    info={"holds": "Repositories by GitHub's id, which survives renaming; `is_given`: the App has access."},
)


@dataclass(frozen=True, slots=True)
class InstallationRow:
    """One installation."""

    id: int
    account: str
    state: InstallationState
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class RepositoryRow:
    """One repository; `seen_at` is the time of the last event under this name."""

    id: int
    full_name: str
    installation_id: int | None
    default_branch: str
    is_private: bool
    is_archived: bool
    is_given: bool
    given_at: datetime | None
    seen_at: datetime


class Installations:
    """The table `installations`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, installation_id: int, account: str, at: datetime) -> None:
        """Record an installation, or its new permissions."""
        self._set(installation_id, account, InstallationState.active, at)

    def suspend(self, installation_id: int, account: str, at: datetime) -> None:
        """Record that the installation is suspended."""
        self._set(installation_id, account, InstallationState.suspended, at)

    def remove(self, installation_id: int, account: str, at: datetime) -> None:
        """Record that the App was uninstalled."""
        self._set(installation_id, account, InstallationState.removed, at)

    def get(self, installation_id: int) -> InstallationRow | None:
        """Return the installation with this id."""
        with self._database.read() as connection:
            row = connection.execute(by_key(INSTALLATIONS, {"id": installation_id})).one_or_none()
            return None if row is None else _installation(row)

    def active(self) -> tuple[InstallationRow, ...]:
        """Return the active installations."""
        with self._database.read() as connection:
            rows = connection.execute(by_key(INSTALLATIONS, {"state": InstallationState.active}))
            return tuple(sorted((_installation(row) for row in rows), key=lambda row: row.id))

    def _set(self, installation_id: int, account: str, state: InstallationState, at: datetime) -> None:
        values = {"id": installation_id, "account": account, "state": state, "changed_at": at}
        with self._database.write() as connection:
            if insert_new(connection, INSTALLATIONS, values):
                return
            row = locked(connection, INSTALLATIONS, {"id": installation_id})
            if row is None or (at, _order(state), account) > (row.changed_at, _order(row.state), row.account):
                put(connection, INSTALLATIONS, values)


class Repositories:
    """The table `repositories`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, repository: RepositoryFacts, installation_id: int | None, at: datetime) -> None:
        """Record a repository that the App was granted access to."""
        self._give(repository, installation_id, at, is_given=True)

    def remove(self, repository: RepositoryFacts, installation_id: int | None, at: datetime) -> None:
        """Record that access to the repository was revoked."""
        self._give(repository, installation_id, at, is_given=False)

    def see(self, repository: RepositoryFacts, installation_id: int | None, at: datetime) -> None:
        """Update name, branch and installation from an event, unless newer values are stored."""
        with self._database.write() as connection:
            see_repository(connection, repository, installation_id, at)

    def get(self, repository_id: int) -> RepositoryRow | None:
        """Return the repository with this id."""
        with self._database.read() as connection:
            row = connection.execute(by_key(REPOSITORIES, {"id": repository_id})).one_or_none()
            return None if row is None else _repository(row)

    def named(self, full_name: str) -> RepositoryRow | None:
        """Return the repository last seen under this name (GitHub ignores case)."""
        same = func.lower(REPOSITORIES.c.full_name) == full_name.lower()
        newest = select(REPOSITORIES).where(same).order_by(REPOSITORIES.c.seen_at.desc(), REPOSITORIES.c.id).limit(1)
        with self._database.read() as connection:
            row = connection.execute(newest).one_or_none()
            return None if row is None else _repository(row)

    def active(self) -> tuple[RepositoryRow, ...]:
        """Return the accessible repositories: granted, not archived, of an active installation."""
        wanted = (
            select(REPOSITORIES)
            .join(INSTALLATIONS, INSTALLATIONS.c.id == REPOSITORIES.c.installation_id, isouter=True)
            .where(REPOSITORIES.c.is_given, ~REPOSITORIES.c.is_archived)
            .where(INSTALLATIONS.c.state.is_(None) | (INSTALLATIONS.c.state == InstallationState.active))
            .order_by(REPOSITORIES.c.id)
        )
        with self._database.read() as connection:
            return tuple(_repository(row) for row in connection.execute(wanted))

    def _give(self, repository: RepositoryFacts, installation_id: int | None, at: datetime, *, is_given: bool) -> None:
        with self._database.write() as connection:
            see_repository(connection, repository, installation_id, at, is_whole=False)
            row = locked(connection, REPOSITORIES, {"id": repository.id})
            if row is not None and (row.given_at is None or (at, not is_given) > (row.given_at, not row.is_given)):
                changed = REPOSITORIES.update().where(REPOSITORIES.c.id == repository.id)
                connection.execute(changed.values(is_given=is_given, given_at=at))


def see_repository(
    connection: Connection,
    repository: RepositoryFacts,
    installation_id: int | None,
    at: datetime,
    *,
    is_whole: bool = True,
) -> None:
    """Insert or update a repository within the caller's transaction.

    With `is_whole=False` the facts lack its branch and whether it is archived, as installation events do.
    """
    values = {"full_name": repository.full_name, "is_private": repository.is_private, "seen_at": at}
    rest = {"default_branch": repository.default_branch, "is_archived": repository.is_archived}
    first = {"id": repository.id, "installation_id": installation_id, "is_given": True, **rest, **values}
    if insert_new(connection, REPOSITORIES, first):
        return
    row = locked(connection, REPOSITORIES, {"id": repository.id})
    if row is None:
        return
    changes: dict[str, object] = {}
    if (at, repository.full_name, repository.is_private) > (row.seen_at, row.full_name, row.is_private):
        changes = {**values, **(rest if is_whole else {})}
    if installation_id is not None and (changes or row.installation_id is None):
        changes["installation_id"] = installation_id
    if changes:
        connection.execute(REPOSITORIES.update().where(REPOSITORIES.c.id == repository.id).values(**changes))


def _order(state: str) -> int:
    return list(InstallationState).index(InstallationState(state))


def _installation(row: Row[tuple[object, ...]]) -> InstallationRow:
    values = row._asdict()
    return InstallationRow(**{**values, "state": InstallationState(values["state"])})


def _repository(row: Row[tuple[object, ...]]) -> RepositoryRow:
    return RepositoryRow(**row._asdict())
