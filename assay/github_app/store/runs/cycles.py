"""Fix cycles: deliveries of findings to an agent, per tier of a pull request."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, Table, update

from assay.github_app.store.database.columns import BIG, METADATA, UtcTime, Words, of_a_pull, pull_key
from assay.github_app.store.database.database import Database, by_key, insert_new
from assay.github_app.store.pulls.pulls import ensure_pull

CYCLES = Table(
    "fix_cycles",
    METADATA,
    *pull_key(is_primary=True),
    Column("tier", Words, primary_key=True),
    Column("head_sha", Words, primary_key=True),
    Column("fingerprint", Words, nullable=False),
    Column("comment_id", BIG),
    Column("agent", Words),
    Column("at", UtcTime, nullable=False),
    of_a_pull(),
    info={"holds": "Heads whose findings were delivered to an agent; `fingerprint` detects a repeated failure."},
)


@dataclass(frozen=True, slots=True)
class CycleRow:
    """One delivery of a tier's findings for one head."""

    tier: str
    head_sha: str
    fingerprint: str
    comment_id: int | None
    agent: str | None
    at: datetime


class Cycles:
    """The table `fix_cycles`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        repository_id: int,
        number: int,
        tier: str,
        head_sha: str,
        fingerprint: str,
        comment_id: int | None,
        agent: str | None,
        at: datetime,
    ) -> bool:
        """Count a delivery, once per tier and head; return False if it was counted (its comment is filled in)."""
        key = {"repository_id": repository_id, "number": number, "tier": tier, "head_sha": head_sha}
        rest = {"fingerprint": fingerprint, "comment_id": comment_id, "agent": agent, "at": at}
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            if insert_new(connection, CYCLES, {**key, **rest}):
                return True
            if comment_id is not None:
                this = (CYCLES.c[name] == value for name, value in key.items())
                without = update(CYCLES).where(*this, CYCLES.c.comment_id.is_(None))
                connection.execute(without.values(comment_id=comment_id))
            return False

    def of(self, repository_id: int, number: int, tier: str) -> tuple[CycleRow, ...]:
        """Return the deliveries of a tier, oldest first; their number is the number of cycles."""
        key = {"repository_id": repository_id, "number": number, "tier": tier}
        with self._database.read() as connection:
            rows = list(connection.execute(by_key(CYCLES, key).order_by(CYCLES.c.at, CYCLES.c.head_sha)))
        return tuple(
            CycleRow(row.tier, row.head_sha, row.fingerprint, row.comment_id, row.agent, row.at) for row in rows
        )
