"""What waits for a person, over many repositories: each list is one query, cut at a limit and counted in full.

`ids` are the repositories the user may read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from sqlalchemy import Select, and_, exists, func, select
from sqlalchemy.orm import aliased

from assay.github_app.store.app.deliveries import DeliveryRow, DeliveryState
from assay.github_app.store.app.installations import InstallationRow, RepositoryRow
from assay.github_app.store.database.database import Tables
from assay.github_app.store.runs.holds import HoldRow
from assay.github_app.store.runs.requests import RequestRow
from assay.github_app.store.tables.pull_tables import PullRow
from assay.github_app.store.tables.run_tables import RunRow, RunState

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Listed(Generic[T]):
    """First items of a list, and how many there are in all."""

    items: tuple[T, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True)
class WaitingHold:
    """Active hold on the current head of an open pull request."""

    repository_id: int
    number: int
    title: str
    level: str
    reasons: tuple[str, ...]
    since: datetime


@dataclass(frozen=True, slots=True)
class FailedRun:
    """Failed validation of the current head of an open pull request."""

    repository_id: int
    number: int
    id: str
    error: str
    incident: str | None
    since: datetime


@dataclass(frozen=True, slots=True)
class FailedDelivery:
    """Delivery in the dead-letter queue."""

    id: str
    repository: str | None
    number: int | None
    event: str
    error: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Misconfigured:
    """A repository whose configuration keeps open pull requests against one branch from a verdict.

    `number` is the newest of the `num_pulls` pull requests.
    """

    repository_id: int
    branch: str
    num_pulls: int
    number: int
    since: datetime


@dataclass(frozen=True, slots=True)
class PutOff:
    """Heads of an installation that wait until GitHub's hourly limit resets."""

    installation_id: int
    num_heads: int
    repository_ids: tuple[int, ...]
    since: datetime
    until: datetime


class Attention(Tables):
    """Reads over `holds`, `runs`, `deliveries`, `installations`, `pulls` and requests, longest waiting first."""

    def holds(self, ids: Sequence[int], limit: int) -> Listed[WaitingHold]:
        """Return the active holds."""
        of_pull = (HoldRow.repository_id == PullRow.repository_id, HoldRow.number == PullRow.number)
        columns = (PullRow.repository_id, PullRow.number, PullRow.title, HoldRow.level, HoldRow.reasons)
        wanted = (
            select(*columns, HoldRow.placed_at)
            .join(HoldRow, and_(*of_pull, HoldRow.head_sha == PullRow.head_sha))
            .where(HoldRow.released_at.is_(None), *_open(ids))
            .order_by(HoldRow.placed_at, PullRow.repository_id, PullRow.number)
        )
        return self._listed(wanted, limit, lambda row: WaitingHold(row[0], row[1], row[2] or "", *row[3:6]))

    def failed_runs(self, ids: Sequence[int], limit: int) -> Listed[FailedRun]:
        """Return the failed runs that were not retried since."""
        columns = (RunRow.repository_id, RunRow.number, RunRow.id, RunRow.error, RunRow.incident, RunRow.changed_at)
        wanted = (
            _newest_runs(ids, *columns).where(RunRow.state == RunState.failed).order_by(RunRow.changed_at, RunRow.id)
        )
        return self._listed(wanted, limit, lambda row: FailedRun(row[0], row[1], row[2], row[3] or "", row[4], row[5]))

    def misconfigured(self, ids: Sequence[int], limit: int) -> Listed[Misconfigured]:
        """Return the repositories with an invalid configuration.

        A report requires action for two reasons: approval (its risk, or missing results), in which case it is held, or
        the configuration.
        """
        since = func.min(RunRow.reported_at).label("since")
        columns = (RunRow.repository_id, PullRow.base_ref, func.count(), func.max(RunRow.number), since)
        wanted = (
            _newest_runs(ids, *columns)
            .where(RunRow.conclusion == "action_required", RunRow.is_hold.is_(False))
            .group_by(RunRow.repository_id, PullRow.base_ref)
            .order_by(since, RunRow.repository_id, PullRow.base_ref)
        )
        return self._listed(wanted, limit, lambda row: Misconfigured(row[0], row[1] or "", *row[2:5]))

    def failed_deliveries(self, names: Sequence[str] | None, limit: int) -> Listed[FailedDelivery]:
        """Return the dead-letter queue's deliveries of repositories with these names; with None, of the whole App."""
        row = DeliveryRow
        columns = (row.id, row.repository, row.number, row.event, row.error, row.changed_at)
        wanted = select(*columns).where(row.state == DeliveryState.parked).order_by(row.changed_at, row.id)
        if names is not None:
            wanted = wanted.where(func.lower(row.repository).in_([name.lower() for name in names]))
        return self._listed(
            wanted,
            limit,
            lambda found: FailedDelivery(found[0], found[1], found[2], found[3], found[4] or "", found[5]),
        )

    def installations(self, installation_ids: Sequence[int]) -> tuple[InstallationRow, ...]:
        """Return these installations."""
        wanted = select(InstallationRow).where(InstallationRow.id.in_(installation_ids))
        return self._database.rows(wanted.order_by(InstallationRow.id))

    def put_off(self, ids: Sequence[int], now: datetime) -> tuple[PutOff, ...]:
        """Return the installations whose heads were put off.

        A first attempt is due at once unless it was put off; later ones wait for other reasons too.
        """
        row, found = RequestRow, dict[int, list[Any]]()
        wanted = (
            select(RepositoryRow.installation_id, row.repository_id, func.count(), func.min(row.asked_at))
            .add_columns(func.max(row.due_at))
            .join(RepositoryRow, RepositoryRow.id == row.repository_id)
            .where(row.admitted_at.is_(None), row.due_at > now, row.attempt == 1, row.repository_id.in_(ids))
            .where(RepositoryRow.installation_id.is_not(None))
            .group_by(RepositoryRow.installation_id, row.repository_id)
            .order_by(RepositoryRow.installation_id, row.repository_id)
        )
        with self._database.read() as connection:
            for one in connection.execute(wanted):
                found.setdefault(one[0], []).append(one)
        return tuple(
            PutOff(
                installation_id,
                sum(one[2] for one in these),
                tuple(one[1] for one in these),
                min(one[3] for one in these),
                max(one[4] for one in these),
            )
            for installation_id, these in found.items()
        )

    def num_open(self, ids: Sequence[int]) -> Mapping[int, int]:
        """Return repository id -> number of open pull requests."""
        counted = select(PullRow.repository_id, func.count()).where(*_open(ids)).group_by(PullRow.repository_id)
        with self._database.read() as connection:
            return {row[0]: row[1] for row in connection.execute(counted)}

    def _listed(self, wanted: Any, limit: int, item: Callable[[Any], T]) -> Listed[T]:
        with self._database.read() as connection:
            found = connection.execute(wanted.add_columns(func.count().over()).limit(limit)).all()
        return Listed(tuple(item(row) for row in found), found[0][-1] if found else 0)


def _open(ids: Sequence[int]) -> tuple[Any, ...]:
    return PullRow.state == "open", PullRow.repository_id.in_(ids)


def _newest_runs(ids: Sequence[int], *columns: Any) -> Select[Any]:
    """Select from the newest run of the current head of each open pull request."""
    later = aliased(RunRow)
    of_head = (RunRow.repository_id == PullRow.repository_id, RunRow.number == PullRow.number)
    newer = exists().where(
        later.repository_id == RunRow.repository_id,
        later.number == RunRow.number,
        later.head_sha == RunRow.head_sha,
        later.turn > RunRow.turn,
    )
    return (
        select(*columns)
        .select_from(PullRow)
        .join(RunRow, and_(*of_head, RunRow.head_sha == PullRow.head_sha))
        .where(*_open(ids), ~newer)
    )
