"""Bounded read-only queries over many repositories, for the web pages.

`ids` are the repositories the user may read; None means all, for the operator of this machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Subquery, and_, func, select

from assay.github_app.store.app.installations import REPOSITORIES, RepositoryRow
from assay.github_app.store.database.database import Database
from assay.github_app.store.runs.holds import HOLDS
from assay.github_app.store.tables.pull_tables import PULLS
from assay.github_app.store.tables.run_tables import FACTORS, RUNS, RunRow, run_row

Ids = Sequence[int] | None


class Listings:
    """Reads over `repositories`, `pulls`, `runs`, `risk_factors` and `holds`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def repositories(self, ids: Ids) -> tuple[RepositoryRow, ...]:
        """Return the repositories by name; of two with the same name, the one seen last."""
        wanted = select(REPOSITORIES).where(*_whose(REPOSITORIES.c.id, ids)).order_by(REPOSITORIES.c.seen_at)
        with self._database.read() as connection:
            rows = [RepositoryRow(**row._asdict()) for row in connection.execute(wanted)]
        named = {row.full_name.lower(): row for row in rows}
        return tuple(sorted(named.values(), key=lambda row: row.full_name.lower()))

    def runs(self, ids: Ids, limit: int) -> tuple[RunRow, ...]:
        """Return the runs, newest first."""
        listed = [column for column in RUNS.c if column.name != "report"]
        wanted = select(*listed).where(*_whose(RUNS.c.repository_id, ids))
        newest = wanted.order_by(RUNS.c.created_at.desc(), RUNS.c.turn.desc(), RUNS.c.id).limit(limit)
        with self._database.read() as connection:
            return tuple(run_row(row._asdict()) for row in connection.execute(newest))

    def titles(self, places: Sequence[tuple[int, int]]) -> Mapping[tuple[int, int], tuple[str, str | None]]:
        """Return (repository id, number) -> (title, agent) of these pull requests."""
        ids, numbers = {place[0] for place in places}, {place[1] for place in places}
        these = (PULLS.c.repository_id.in_(ids), PULLS.c.number.in_(numbers))
        wanted = select(PULLS.c.repository_id, PULLS.c.number, PULLS.c.title, PULLS.c.agent).where(*these)
        with self._database.read() as connection:
            return {(row[0], row[1]): (row[2] or "", row[3]) for row in connection.execute(wanted)}

    def num_held(self, ids: Ids) -> int:
        """Return the number of open pull requests whose current head is held."""
        same = (HOLDS.c.repository_id == PULLS.c.repository_id, HOLDS.c.number == PULLS.c.number)
        standing = (HOLDS.c.head_sha == PULLS.c.head_sha, HOLDS.c.released_at.is_(None), PULLS.c.state == "open")
        held = select(HOLDS.c.repository_id, HOLDS.c.number).join(PULLS, and_(*same))
        found = held.where(*standing, *_whose(HOLDS.c.repository_id, ids)).distinct().subquery()
        with self._database.read() as connection:
            return int(connection.execute(select(func.count()).select_from(found)).scalar_one())

    def signals(self, ids: Ids, since: datetime | None = None) -> Mapping[tuple[str, str], int]:
        """Return (risk signal, level) -> number of pull requests with it in their newest verdict."""
        newest = _newest_verdicts(ids)
        counted = (
            select(FACTORS.c.signal, FACTORS.c.level, func.count(func.distinct(FACTORS.c.run_id)))
            .join(newest, newest.c.run_id == FACTORS.c.run_id)
            .where(newest.c.place == 1)
            .group_by(FACTORS.c.signal, FACTORS.c.level)
        )
        if since is not None:
            counted = counted.where(newest.c.reported_at >= since)
        with self._database.read() as connection:
            return {(row[0], row[1]): row[2] for row in connection.execute(counted)}


def _newest_verdicts(ids: Ids) -> Subquery:
    """Return a query of every verdict on a pull request, numbered from the newest (`place` 1)."""
    place = func.row_number().over(
        partition_by=(RUNS.c.repository_id, RUNS.c.number), order_by=(RUNS.c.reported_at.desc(), RUNS.c.id.desc())
    )
    columns = (RUNS.c.id.label("run_id"), RUNS.c.reported_at, place.label("place"))
    these = (RUNS.c.reported_at.is_not(None), RUNS.c.number.is_not(None), *_whose(RUNS.c.repository_id, ids))
    return select(*columns).where(*these).subquery()


def _whose(column: Column[Any], ids: Ids) -> tuple[Any, ...]:
    return () if ids is None else (column.in_(tuple(ids)),)
