"""Outcomes of pull requests: their ends and later effects."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import Choice, Kept, Key, OfAPull, StoredRow, described, of_a_pull
from assay.github_app.store.database.database import Tables, insert_new, locked, put
from assay.github_app.store.pulls.pulls import ensure_pull


class OutcomeKind(StrEnum):
    """merged is a success; closed and abandoned are not; reverted and followed_by_fix follow a merge."""

    merged = "merged"
    closed = "closed"
    abandoned = "abandoned"
    reverted = "reverted"
    followed_by_fix = "followed_by_fix"


class OutcomeRow(OfAPull, StoredRow):
    """One end or later effect. `at` is GitHub's time; `cause` distinguishes two of the same kind."""

    __tablename__ = "outcomes"
    __table_args__ = (
        of_a_pull(),
        described(
            "Ends and later effects of pull requests; `cause`: the head that ended, or the revert or fix.", Kept.pull
        ),
    )

    kind: Mapped[OutcomeKind] = mapped_column(Choice(OutcomeKind), primary_key=True)
    cause: Mapped[Key]
    head_sha: Mapped[str | None]
    at: Mapped[datetime]
    detail: Mapped[Mapping[str, Any]]


class Outcomes(Tables):
    """The table `outcomes`."""

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
            if insert_new(connection, OutcomeRow, values):
                return True
            row = locked(connection, OutcomeRow, key)
            if row is None or _weight(row.at, row.detail) >= _weight(at, detail or {}):
                return False
            put(connection, OutcomeRow, values)
            return True

    def of(self, repository_id: int, number: int) -> tuple[OutcomeRow, ...]:
        """Return all outcomes of a pull request, in order of time.

        An end may be out of date (closed, then reopened): `outcomes.ending` returns the current one.
        """
        found = self._database.rows(select(OutcomeRow).filter_by(repository_id=repository_id, number=number))
        return tuple(sorted(found, key=lambda row: (row.at, row.kind, row.cause)))


def _weight(at: datetime, detail: Mapping[str, Any]) -> tuple[datetime, int, str]:
    """Return the sort key of an outcome: the time, then its completeness, and finally an arbitrary stable order."""
    return (at, len(detail), repr(sorted(detail.items())))
