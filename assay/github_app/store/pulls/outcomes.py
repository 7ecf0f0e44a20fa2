"""Outcomes of pull requests: their ends and later effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Column, Table

from assay.github_app.store.database.columns import METADATA, Json, UtcTime, Words, of_a_pull, pull_key
from assay.github_app.store.database.database import Database, by_key, insert_new, locked, put
from assay.github_app.store.pulls.pulls import ensure_pull


class OutcomeKind(StrEnum):
    """merged is a success; closed and abandoned are not; reverted and followed_by_fix follow a merge."""

    merged = "merged"
    closed = "closed"
    abandoned = "abandoned"
    reverted = "reverted"
    followed_by_fix = "followed_by_fix"


OUTCOMES = Table(
    "outcomes",
    METADATA,
    *pull_key(is_primary=True),
    Column("kind", Words, primary_key=True),
    Column("cause", Words, primary_key=True),
    Column("head_sha", Words),
    Column("at", UtcTime, nullable=False),
    Column("detail", Json, nullable=False),
    of_a_pull(),
    info={"holds": "Ends and later effects of pull requests; `cause`: the head that ended, or the revert or fix."},
)


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    """One end or later effect. `at` is GitHub's time; `cause` distinguishes two of the same kind."""

    repository_id: int
    number: int
    kind: OutcomeKind
    cause: str
    head_sha: str | None
    at: datetime
    detail: Mapping[str, Any]


class Outcomes:
    """The table `outcomes`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(
        self,
        repository_id: int,
        number: int,
        kind: OutcomeKind,
        head_sha: str | None,
        at: datetime,
        *,
        cause: str | None = None,
        detail: Mapping[str, Any] | None = None,
    ) -> bool:
        """Store an outcome, once per kind and cause (by default the head); return False if one as new is stored."""
        key = {"repository_id": repository_id, "number": number, "kind": kind, "cause": cause or head_sha or ""}
        values = {**key, "head_sha": head_sha, "at": at, "detail": dict(detail or {})}
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            if insert_new(connection, OUTCOMES, values):
                return True
            row = locked(connection, OUTCOMES, key)
            if row is None or _weight(row.at, row.detail) >= _weight(at, detail or {}):
                return False
            put(connection, OUTCOMES, values)
            return True

    def of(self, repository_id: int, number: int) -> tuple[OutcomeRow, ...]:
        """Return all outcomes of a pull request, in order of time.

        An end may be out of date (closed, then reopened): `outcomes.ending` returns the current one.
        """
        with self._database.read() as connection:
            rows = list(connection.execute(by_key(OUTCOMES, {"repository_id": repository_id, "number": number})))
        found = [OutcomeRow(**{**row._asdict(), "kind": OutcomeKind(row.kind)}) for row in rows]
        return tuple(sorted(found, key=lambda row: (row.at, row.kind, row.cause)))


def _weight(at: datetime, detail: Mapping[str, Any]) -> tuple[datetime, int, str]:
    """Return the sort key of an outcome: the time, then its completeness, and finally an arbitrary stable order."""
    return (at, len(detail), repr(sorted(detail.items())))
