"""What the pages list over many repositories at once: reads alone, each bounded, none without saying whose.

`ids` are the repositories somebody may read; None means all there are, for the operator of this machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Select, Subquery, and_, func, select

from assay.github_app.store.database import Database
from assay.github_app.store.installations import REPOSITORIES, RepositoryRow
from assay.github_app.store.outcomes import OUTCOMES, OutcomeKind
from assay.github_app.store.pull_tables import PULLS
from assay.github_app.store.run_tables import FACTORS, RUNS, RunRow, run_row

MOST_LISTED = 5000
"""Pull requests a page looks at, the newest ones; a page says when there are more."""

Ids = Sequence[int] | None


@dataclass(frozen=True, slots=True)
class JudgedPull:
    """A pull request with the newest verdict on it. `ends` are its outcomes' kinds, each with its last time."""

    repository_id: int
    number: int
    title: str
    author: str
    agent: str | None
    model: str | None
    prompt_version: str | None
    state: str
    is_merged: bool
    created_at: datetime | None
    merged_at: datetime | None
    closed_at: datetime | None
    run_id: str
    risk_level: str | None
    conclusion: str | None
    is_hold: bool
    num_findings: int | None
    reported_at: datetime
    ends: Mapping[OutcomeKind, datetime]


class Listings:
    """Reads over `repositories`, `pulls`, `runs`, `risk_factors` and `outcomes`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def repositories(self, ids: Ids) -> tuple[RepositoryRow, ...]:
        """The repositories, by name; of two with one name (one was deleted, or renamed) the one seen last."""
        wanted = select(REPOSITORIES).where(*_whose(REPOSITORIES.c.id, ids)).order_by(REPOSITORIES.c.seen_at)
        with self._database.read() as connection:
            rows = [RepositoryRow(**row._asdict()) for row in connection.execute(wanted)]
        named = {row.full_name.lower(): row for row in rows}
        return tuple(sorted(named.values(), key=lambda row: row.full_name.lower()))

    def runs(self, ids: Ids, limit: int) -> tuple[RunRow, ...]:
        """The runs begun last, newest first."""
        listed = [column for column in RUNS.c if column.name != "report"]
        wanted = select(*listed).where(*_whose(RUNS.c.repository_id, ids))
        newest = wanted.order_by(RUNS.c.created_at.desc(), RUNS.c.turn.desc(), RUNS.c.id).limit(limit)
        with self._database.read() as connection:
            return tuple(run_row(row._asdict()) for row in connection.execute(newest))

    def judged(self, ids: Ids, since: datetime | None = None, limit: int = MOST_LISTED) -> tuple[JudgedPull, ...]:
        """The pull requests that were judged (since then), each by its newest verdict; the newest first."""
        newest = _newest_verdicts(ids)
        names = ("repository_id", "number", "title", "author", "agent", "model", "prompt_version", "state")
        pulls = [PULLS.c[name] for name in (*names, "is_merged", "created_at", "merged_at", "closed_at")]
        same = and_(PULLS.c.repository_id == newest.c.repository_id, PULLS.c.number == newest.c.number)
        runs = [newest.c[name] for name in _OF_A_RUN]
        wanted = select(*pulls, *runs).join(newest, same).where(newest.c.place == 1, PULLS.c.head_sha.is_not(None))
        if since is not None:
            wanted = wanted.where(newest.c.reported_at >= since)
        ordered = wanted.order_by(newest.c.reported_at.desc(), newest.c.run_id).limit(limit)
        with self._database.read() as connection:
            rows = [row._asdict() for row in connection.execute(ordered)]
            ends = _ends(connection.execute(_outcomes(ids)).all())
        return tuple(_judged(row, ends.get((row["repository_id"], row["number"]), {})) for row in rows)

    def signals(self, ids: Ids, since: datetime | None = None) -> Mapping[tuple[str, str], int]:
        """(risk signal, level) -> how many pull requests have it in their newest verdict."""
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


_OF_A_RUN = ("run_id", "risk_level", "conclusion", "is_hold", "num_findings", "reported_at")


def _newest_verdicts(ids: Ids) -> Subquery:
    """Every verdict on a pull request, numbered from the newest (`place` 1)."""
    place = func.row_number().over(
        partition_by=(RUNS.c.repository_id, RUNS.c.number), order_by=(RUNS.c.reported_at.desc(), RUNS.c.id.desc())
    )
    columns = [RUNS.c.repository_id, RUNS.c.number, RUNS.c.id.label("run_id")]
    columns += [RUNS.c[name] for name in _OF_A_RUN[1:]]
    these = (RUNS.c.reported_at.is_not(None), RUNS.c.number.is_not(None), *_whose(RUNS.c.repository_id, ids))
    return select(*columns, place.label("place")).where(*these).subquery()


def _outcomes(ids: Ids) -> Select[Any]:
    return select(OUTCOMES.c.repository_id, OUTCOMES.c.number, OUTCOMES.c.kind, OUTCOMES.c.at).where(
        *_whose(OUTCOMES.c.repository_id, ids)
    )


def _ends(rows: Sequence[Any]) -> dict[tuple[int, int], dict[OutcomeKind, datetime]]:
    found: dict[tuple[int, int], dict[OutcomeKind, datetime]] = {}
    for repository_id, number, kind, at in sorted(rows, key=lambda row: row[3]):
        found.setdefault((repository_id, number), {})[OutcomeKind(kind)] = at
    return found


def _judged(values: dict[str, Any], ends: Mapping[OutcomeKind, datetime]) -> JudgedPull:
    texts = {name: values[name] or "" for name in ("title", "author", "state")}
    flags = {name: bool(values[name]) for name in ("is_merged", "is_hold")}
    return JudgedPull(**{**values, **texts, **flags, "ends": ends})


def _whose(column: Column[Any], ids: Ids) -> tuple[Any, ...]:
    return () if ids is None else (column.in_(tuple(ids)),)
