"""Waivers: findings a user marked as false positive (`fp`) or accepted (`accept`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Column, Table, delete

from assay.github_app.store.database.columns import METADATA, UtcTime, Words, of_a_pull, pull_key
from assay.github_app.store.database.database import Database, by_key, insert_new, locked, put
from assay.github_app.store.pulls.pulls import ensure_pull


class WaiverKind(StrEnum):
    """`fp`: false positive. `accept`: the finding is right and a named user accepts it."""

    fp = "fp"
    accept = "accept"


WAIVERS = Table(
    "waivers",
    METADATA,
    *pull_key(is_primary=True),
    Column("finding_id", Words, primary_key=True),
    Column("kind", Words, nullable=False),
    Column("by", Words, nullable=False),
    Column("reason", Words, nullable=False),
    Column("head_sha", Words, nullable=False),
    Column("at", UtcTime, nullable=False),
    of_a_pull(),
    info={"holds": "Waived findings, with author and reason."},
)


@dataclass(frozen=True, slots=True)
class WaiverRow:
    """A waived finding; `head_sha` is the head at the time of the waiver."""

    finding_id: str
    kind: WaiverKind
    by: str
    reason: str
    head_sha: str
    at: datetime


class Waivers:
    """The table `waivers`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(
        self,
        repository_id: int,
        number: int,
        finding_id: str,
        kind: WaiverKind,
        by: str,
        reason: str,
        head_sha: str,
        at: datetime,
    ) -> bool:
        """Waive a finding in this pull request; return False if a waiver as new is stored."""
        key = {"repository_id": repository_id, "number": number, "finding_id": finding_id}
        values = {**key, "kind": kind, "by": by, "reason": reason, "head_sha": head_sha, "at": at}
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            if insert_new(connection, WAIVERS, values):
                return True
            row = locked(connection, WAIVERS, key)
            if row is None or (row.at, row.kind) >= (at, kind):
                return False
            put(connection, WAIVERS, values)
            return True

    def remove(self, repository_id: int, number: int, finding_id: str) -> bool:
        """Delete a waiver; return False if there is none."""
        key = {"repository_id": repository_id, "number": number, "finding_id": finding_id}
        with self._database.write() as connection:
            these = (WAIVERS.c[name] == value for name, value in key.items())
            return connection.execute(delete(WAIVERS).where(*these)).rowcount > 0

    def of(self, repository_id: int, number: int) -> Mapping[str, WaiverRow]:
        """Return the waivers of this pull request by finding id."""
        with self._database.read() as connection:
            rows = list(connection.execute(by_key(WAIVERS, {"repository_id": repository_id, "number": number})))
        waivers = [
            WaiverRow(row.finding_id, WaiverKind(row.kind), row.by, row.reason, row.head_sha, row.at) for row in rows
        ]
        return {waiver.finding_id: waiver for waiver in sorted(waivers, key=lambda waiver: waiver.finding_id)}
