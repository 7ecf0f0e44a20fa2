"""Installations of the App and their repositories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Index, func, select, update
from sqlalchemy.orm import Mapped, mapped_column

from assay.github.events.model import RepositoryFacts
from assay.github_app.store.database.columns import Big, BigKey, Choice, Kept, StoredRow, described
from assay.github_app.store.database.database import Tables, insert_new, locked, put


class InstallationState(StrEnum):
    """State of an installation; of two states with the same time, the later member of this list applies."""

    active = "active"
    suspended = "suspended"
    removed = "removed"


class InstallationRow(StoredRow):
    """One installation."""

    __tablename__ = "installations"
    __table_args__ = described("Accounts that installed the App.", Kept.always)

    id: Mapped[BigKey]
    account: Mapped[str]
    state: Mapped[InstallationState] = mapped_column(Choice(InstallationState))
    changed_at: Mapped[datetime]


class RepositoryRow(StoredRow):
    """One repository; `seen_at` is the time of the last event under this name.

    Of pull requests opened up to `history_since`, some are deleted; None if none is. Figures begin after it.
    `required_checks` has the names that branches require, and when they were read: `{branch: {"at", "names"}}`.
    """

    __tablename__ = "repositories"
    __table_args__ = (
        Index(None, "full_name"),
        Index(None, "installation_id"),
        described("Repositories by GitHub's id, which survives renaming; `is_given`: the App has access.", Kept.always),
    )

    id: Mapped[BigKey]
    full_name: Mapped[str]
    installation_id: Mapped[Big | None]
    default_branch: Mapped[str]
    is_private: Mapped[bool]
    is_archived: Mapped[bool]
    is_given: Mapped[bool]
    given_at: Mapped[datetime | None]
    seen_at: Mapped[datetime]
    history_since: Mapped[datetime | None] = mapped_column(default=None)
    required_checks: Mapped[Mapping[str, Any] | None] = mapped_column(default=None)

    @property
    def facts(self) -> RepositoryFacts:
        """The repository as events describe it."""
        return RepositoryFacts(self.id, self.full_name, self.default_branch, self.is_private, self.is_archived)


class Installations(Tables):
    """The table `installations`."""

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
        return self._database.one(select(InstallationRow).filter_by(id=installation_id))

    def active(self) -> tuple[InstallationRow, ...]:
        """Return the active installations."""
        active = select(InstallationRow).filter_by(state=InstallationState.active)
        return self._database.rows(active.order_by(InstallationRow.id))

    def _set(self, installation_id: int, account: str, state: InstallationState, at: datetime) -> None:
        values = {"id": installation_id, "account": account, "state": state, "changed_at": at}
        with self._database.write() as connection:
            if insert_new(connection, InstallationRow, values):
                return
            row = locked(connection, InstallationRow, {"id": installation_id})
            if row is None or (at, _order(state), account) > (row.changed_at, _order(row.state), row.account):
                put(connection, InstallationRow, values)


class Repositories(Tables):
    """The table `repositories`."""

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
        return self._database.one(select(RepositoryRow).filter_by(id=repository_id))

    def named(self, full_name: str) -> RepositoryRow | None:
        """Return the repository last seen under this name (GitHub ignores case)."""
        same = func.lower(RepositoryRow.full_name) == full_name.lower()
        newest = select(RepositoryRow).where(same).order_by(RepositoryRow.seen_at.desc(), RepositoryRow.id).limit(1)
        return self._database.one(newest)

    def active(self) -> tuple[RepositoryRow, ...]:
        """Return the accessible repositories: granted, not archived, of an active installation."""
        wanted = (
            select(RepositoryRow)
            .join(InstallationRow, InstallationRow.id == RepositoryRow.installation_id, isouter=True)
            .where(RepositoryRow.is_given, ~RepositoryRow.is_archived)
            .where(InstallationRow.state.is_(None) | (InstallationRow.state == InstallationState.active))
            .order_by(RepositoryRow.id)
        )
        return self._database.rows(wanted)

    def history_since(self, ids: Sequence[int] | None, since: datetime | None) -> datetime | None:
        """Return the time up to which pull requests are deleted, if figures of some repositories begin before it."""
        wanted = select(func.max(RepositoryRow.history_since))
        if ids is not None:
            wanted = wanted.where(RepositoryRow.id.in_(tuple(ids)))
        with self._database.read() as connection:
            found = connection.execute(wanted).scalar_one()
        return found if found is not None and (since is None or since <= found) else None

    def required_checks(self, repository_id: int, branch: str, since: datetime) -> frozenset[str] | None:
        """Return the names of the checks that a branch requires; None unless they were read after `since`."""
        row = self.get(repository_id)
        found = None if row is None else (row.required_checks or {}).get(branch)
        return frozenset(found["names"]) if found is not None and _read_at(found) > since else None

    def keep_required_checks(
        self, repository_id: int, branch: str, names: Iterable[str], at: datetime, since: datetime
    ) -> None:
        """Keep the names that were just read; drop other branches' that were not read after `since`."""
        with self._database.write() as connection:
            row = locked(connection, RepositoryRow, {"id": repository_id})
            known = {} if row is None else row.required_checks or {}
            kept = {name: found for name, found in known.items() if _read_at(found) > since}
            kept[branch] = {"at": at.isoformat(), "names": sorted(names)}
            changed = update(RepositoryRow).where(RepositoryRow.id == repository_id)
            connection.execute(changed.values(required_checks=kept))

    def _give(self, repository: RepositoryFacts, installation_id: int | None, at: datetime, *, is_given: bool) -> None:
        with self._database.write() as connection:
            see_repository(connection, repository, installation_id, at, is_whole=False)
            row = locked(connection, RepositoryRow, {"id": repository.id})
            if row is not None and (row.given_at is None or (at, not is_given) > (row.given_at, not row.is_given)):
                changed = update(RepositoryRow).where(RepositoryRow.id == repository.id)
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
    if insert_new(connection, RepositoryRow, first):
        return
    row = locked(connection, RepositoryRow, {"id": repository.id})
    if row is None:
        return
    changes: dict[str, object] = {}
    if (at, repository.full_name, repository.is_private) > (row.seen_at, row.full_name, row.is_private):
        changes = {**values, **(rest if is_whole else {})}
    if installation_id is not None and (changes or row.installation_id is None):
        changes["installation_id"] = installation_id
    if changes:
        connection.execute(update(RepositoryRow).where(RepositoryRow.id == repository.id).values(**changes))


def _read_at(found: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(found["at"])


def _order(state: InstallationState) -> int:
    return list(InstallationState).index(state)
