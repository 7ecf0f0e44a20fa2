"""Bounded read-only queries over many repositories, for the web pages.

`ids` are the repositories the user may read; None means all, for the operator of this machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Subquery, and_, case, func, select
from sqlalchemy.orm import InstrumentedAttribute

from assay.github_app.store.app.installations import RepositoryRow
from assay.github_app.store.database.database import Tables
from assay.github_app.store.runs.holds import HoldRow
from assay.github_app.store.tables.pull_tables import PullRow
from assay.github_app.store.tables.run_tables import FactorRow, RunRow

Ids = Sequence[int] | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Newest verdict of a pull request: whether it failed, in any mode, and whether enforce mode requires approval."""

    repository: str
    number: int
    title: str
    is_merged: bool
    is_failure: bool
    is_hold: bool


class Listings(Tables):
    """Reads over `repositories`, `pulls`, `runs`, `risk_factors` and `holds`."""

    def repositories(self, ids: Ids) -> tuple[RepositoryRow, ...]:
        """Return the repositories by name; of two with the same name, the one seen last."""
        wanted = select(RepositoryRow).where(*_whose(RepositoryRow.id, ids)).order_by(RepositoryRow.seen_at)
        named = {row.full_name.lower(): row for row in self._database.rows(wanted)}
        return tuple(sorted(named.values(), key=lambda row: row.full_name.lower()))

    def runs(self, ids: Ids, limit: int) -> tuple[RunRow, ...]:
        """Return the runs, newest first."""
        wanted = select(RunRow).where(*_whose(RunRow.repository_id, ids))
        newest = wanted.order_by(RunRow.created_at.desc(), RunRow.turn.desc(), RunRow.id).limit(limit)
        return self._database.rows(newest)

    def titles(self, places: Sequence[tuple[int, int]]) -> Mapping[tuple[int, int], tuple[str, str | None, str]]:
        """Return (repository id, number) -> (title, agent, `merged`, `closed` or `open`) of these pull requests."""
        ids, numbers = {place[0] for place in places}, {place[1] for place in places}
        these = (PullRow.repository_id.in_(ids), PullRow.number.in_(numbers))
        state = case((PullRow.is_merged, "merged"), else_=func.coalesce(PullRow.state, "open"))
        wanted = select(PullRow.repository_id, PullRow.number, PullRow.title, PullRow.agent, state).where(*these)
        with self._database.read() as connection:
            return {(row[0], row[1]): (row[2] or "", row[3], row[4]) for row in connection.execute(wanted)}

    def held(self, ids: Ids) -> frozenset[tuple[int, int, str]]:
        """Return (repository id, number, head) of open pull requests whose current head is held."""
        same = (HoldRow.repository_id == PullRow.repository_id, HoldRow.number == PullRow.number)
        standing = (HoldRow.head_sha == PullRow.head_sha, HoldRow.released_at.is_(None), PullRow.state == "open")
        held = select(HoldRow.repository_id, HoldRow.number, HoldRow.head_sha).join(PullRow, and_(*same))
        with self._database.read() as connection:
            found = connection.execute(held.where(*standing, *_whose(HoldRow.repository_id, ids)))
            return frozenset((row[0], row[1], row[2]) for row in found)

    def verdicts(self, ids: Ids, since: datetime | None = None, until: datetime | None = None) -> tuple[Verdict, ...]:
        """Return the newest verdict of each pull request, if it was given in that time; by repository and number."""
        newest = _newest_verdicts(ids)
        wanted = (
            select(
                RepositoryRow.full_name,
                RunRow.number,
                PullRow.title,
                PullRow.is_merged,
                RunRow.conclusion,
                RunRow.is_hold,
                RunRow.lacks_results,
            )
            .join(newest, newest.c.run_id == RunRow.id)
            .join(RepositoryRow, RepositoryRow.id == RunRow.repository_id)
            .join(PullRow, and_(PullRow.repository_id == RunRow.repository_id, PullRow.number == RunRow.number))
            .where(newest.c.place == 1)
            .order_by(RepositoryRow.full_name, RunRow.number)
        )
        if since is not None:
            wanted = wanted.where(newest.c.reported_at >= since)
        if until is not None:
            wanted = wanted.where(newest.c.reported_at < until)
        with self._database.read() as connection:
            return tuple(
                Verdict(row[0], row[1] or 0, row[2] or "", bool(row[3]), row[4] == "failure", bool(row[5] or row[6]))
                for row in connection.execute(wanted)
            )

    def signals(self, ids: Ids, since: datetime | None = None) -> Mapping[tuple[str, str | None], int]:
        """Return (risk signal, level or None) -> number of pull requests with it in their newest verdict."""
        newest = _newest_verdicts(ids)
        counted = (
            select(FactorRow.signal, FactorRow.level, func.count(func.distinct(FactorRow.run_id)))
            .join(newest, newest.c.run_id == FactorRow.run_id)
            .where(newest.c.place == 1)
            .group_by(FactorRow.signal, FactorRow.level)
        )
        if since is not None:
            counted = counted.where(newest.c.reported_at >= since)
        with self._database.read() as connection:
            return {(row[0], row[1]): row[2] for row in connection.execute(counted)}


def _newest_verdicts(ids: Ids) -> Subquery:
    """Return a query of every verdict on a pull request, numbered from the newest (`place` 1)."""
    place = func.row_number().over(
        partition_by=(RunRow.repository_id, RunRow.number), order_by=(RunRow.reported_at.desc(), RunRow.id.desc())
    )
    columns = (RunRow.id.label("run_id"), RunRow.reported_at, place.label("place"))
    these = (RunRow.reported_at.is_not(None), RunRow.number.is_not(None), *_whose(RunRow.repository_id, ids))
    return select(*columns).where(*these).subquery()


def _whose(column: InstrumentedAttribute[int], ids: Ids) -> tuple[Any, ...]:
    return () if ids is None else (column.in_(tuple(ids)),)
