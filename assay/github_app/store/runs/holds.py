"""Holds: heads whose risk requires approval, and their approvals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Connection, Integer, Row, Table, insert, select, update

from assay.github_app.store.database.columns import METADATA, Json, UtcTime, Words, of_a_pull, pull_key
from assay.github_app.store.database.database import Database
from assay.github_app.store.pulls.pulls import ensure_pull

HOLDS = Table(
    "holds",
    METADATA,
    *pull_key(is_primary=True),
    Column("head_sha", Words, primary_key=True),
    Column("turn", Integer(), primary_key=True, autoincrement=False),
    Column("level", Words, nullable=False),
    Column("reasons", Json, nullable=False),
    Column("placed_by", Words),
    Column("placed_at", UtcTime, nullable=False),
    Column("released_by", Words),
    Column("released_at", UtcTime),
    Column("release_reason", Words),
    of_a_pull(),
    info={"holds": "Holds and their releases; a hold belongs to one head."},
)


@dataclass(frozen=True, slots=True)
class HoldRow:
    """A hold on one head. `placed_by` is None if the risk level placed it, else a login."""

    repository_id: int
    number: int
    head_sha: str
    turn: int
    level: str
    reasons: tuple[str, ...]
    placed_by: str | None
    placed_at: datetime
    released_by: str | None
    released_at: datetime | None
    release_reason: str | None

    @property
    def is_active(self) -> bool:
        return self.released_at is None


class Holds:
    """The table `holds`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def place(
        self,
        repository_id: int,
        number: int,
        head_sha: str,
        level: str,
        reasons: Sequence[str],
        at: datetime,
        *,
        by: str | None = None,
        is_anew: bool = False,
    ) -> HoldRow:
        """Hold this head, or update its active hold.

        A released hold stays released (the same risk was accepted), unless a user (`by`) requests a new one,
        the level has changed since, or the acceptance is no longer valid (`is_anew`).
        """
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            last = _newest(connection, repository_id, number, head_sha)
            if last is not None and last.is_active:
                changes = {"level": level, "reasons": list(reasons)}
                connection.execute(update(HOLDS).where(*_is(last)).values(**changes))
            elif last is None or by is not None or is_anew or level != last.level:
                values = {
                    "repository_id": repository_id,
                    "number": number,
                    "head_sha": head_sha,
                    "turn": 1 if last is None else last.turn + 1,
                    "level": level,
                    "reasons": list(reasons),
                    "placed_by": by,
                    "placed_at": at,
                }
                connection.execute(insert(HOLDS).values(**values))
            placed = _newest(connection, repository_id, number, head_sha)
            if placed is None:
                raise LookupError(f"the hold of {repository_id}#{number} is not there after it was placed")
            return placed

    def release(
        self, repository_id: int, number: int, head_sha: str, by: str, reason: str, at: datetime
    ) -> HoldRow | None:
        """Release the hold of this head; return None without an active hold (the first release is recorded)."""
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            last = _newest(connection, repository_id, number, head_sha)
            if last is None or not last.is_active:
                return None
            changes = {"released_by": by, "released_at": at, "release_reason": reason}
            connection.execute(update(HOLDS).where(*_is(last)).values(**changes))
            return _newest(connection, repository_id, number, head_sha)

    def current(self, repository_id: int, number: int, head_sha: str) -> HoldRow | None:
        """Return the newest hold of this head, active or released, or None."""
        with self._database.read() as connection:
            return _newest(connection, repository_id, number, head_sha)

    def of_head(self, repository_id: int, head_sha: str) -> tuple[HoldRow, ...]:
        """Return the holds of a commit in every pull request of a repository, oldest first."""
        wanted = select(HOLDS).where(HOLDS.c.repository_id == repository_id, HOLDS.c.head_sha == head_sha)
        with self._database.read() as connection:
            return tuple(_hold(row) for row in connection.execute(wanted.order_by(HOLDS.c.placed_at, HOLDS.c.turn)))

    def history(self, repository_id: int, number: int) -> tuple[HoldRow, ...]:
        """Return all holds of a pull request, oldest first."""
        wanted = select(HOLDS).where(HOLDS.c.repository_id == repository_id, HOLDS.c.number == number)
        with self._database.read() as connection:
            return tuple(_hold(row) for row in connection.execute(wanted.order_by(HOLDS.c.placed_at, HOLDS.c.turn)))


def _newest(connection: Connection, repository_id: int, number: int, head_sha: str) -> HoldRow | None:
    of_head = (HOLDS.c.repository_id == repository_id, HOLDS.c.number == number, HOLDS.c.head_sha == head_sha)
    row = connection.execute(select(HOLDS).where(*of_head).order_by(HOLDS.c.turn.desc()).limit(1)).one_or_none()
    return None if row is None else _hold(row)


def _is(hold: HoldRow) -> tuple[Any, ...]:
    return (
        HOLDS.c.repository_id == hold.repository_id,
        HOLDS.c.number == hold.number,
        HOLDS.c.head_sha == hold.head_sha,
        HOLDS.c.turn == hold.turn,
    )


def _hold(row: Row[Any]) -> HoldRow:
    return HoldRow(**{**row._asdict(), "reasons": tuple(row.reasons)})
