"""Detected reverts with their target, which may become known only later."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, Table, select

from assay.github_app.store.database.columns import BIG, METADATA, UtcTime, Words
from assay.github_app.store.database.database import Database, insert_new

REVERTS = Table(
    "reverts",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("cause", Words, primary_key=True),
    Column("reverted", Words, primary_key=True),
    Column("at", UtcTime, nullable=False),
    info={"holds": "Reverts: the reverting commit or `#number`, and the reverted commit id (maybe cut) or `#number`."},
)


@dataclass(frozen=True, slots=True)
class RevertRow:
    """`cause` (a commit id or `#number`) reverts `reverted` (a commit id of 7 digits or more, or `#number`)."""

    cause: str
    reverted: str
    at: datetime


class Reverts:
    """The table `reverts`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, repository_id: int, cause: str, reverted: str, at: datetime) -> bool:
        """Store a revert; return False if it is stored already."""
        values = {"repository_id": repository_id, "cause": cause, "reverted": reverted, "at": at}
        with self._database.write() as connection:
            return insert_new(connection, REVERTS, values)

    def of(self, repository_id: int, number: int, commits: Iterable[str]) -> tuple[RevertRow, ...]:
        """Return the reverts that name this pull request or one of these commits, abbreviated or in full."""
        names = {f"#{number}", *(sha[:length] for sha in commits for length in range(7, len(sha) + 1))}
        wanted = select(REVERTS.c.cause, REVERTS.c.reverted, REVERTS.c.at).where(
            REVERTS.c.repository_id == repository_id, REVERTS.c.reverted.in_(sorted(names))
        )
        with self._database.read() as connection:
            rows = connection.execute(wanted.order_by(REVERTS.c.at, REVERTS.c.cause))
            return tuple(RevertRow(row.cause, row.reverted, row.at) for row in rows)
