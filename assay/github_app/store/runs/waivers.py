"""Waivers: findings a user marked as false positive (`fp`) or accepted (`accept`)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from sqlalchemy import delete, select
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import Choice, Kept, Key, OfAPull, StoredRow, described, of_a_pull
from assay.github_app.store.database.database import Tables, insert_new, locked, put
from assay.github_app.store.pulls.pulls import ensure_pull


class WaiverKind(StrEnum):
    """`fp`: false positive. `accept`: the finding is right and a named user accepts it."""

    fp = "fp"
    accept = "accept"


class WaiverRow(OfAPull, StoredRow):
    """A waived finding; `head_sha` is the head at the time of the waiver."""

    __tablename__ = "waivers"
    __table_args__ = (
        of_a_pull(),
        described("Waived findings, with author and reason.", Kept.pull),
    )

    finding_id: Mapped[Key]
    kind: Mapped[WaiverKind] = mapped_column(Choice(WaiverKind))
    by: Mapped[str]
    reason: Mapped[str]
    head_sha: Mapped[str]
    at: Mapped[datetime]


class Waivers(Tables):
    """The table `waivers`."""

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
            if insert_new(connection, WaiverRow, values):
                return True
            row = locked(connection, WaiverRow, key)
            if row is None or (row.at, row.kind) >= (at, kind):
                return False
            put(connection, WaiverRow, values)
            return True

    def remove(self, repository_id: int, number: int, finding_id: str) -> bool:
        """Delete a waiver; return False if there is none."""
        this = delete(WaiverRow).filter_by(repository_id=repository_id, number=number, finding_id=finding_id)
        return self._database.execute(this) > 0

    def of(self, repository_id: int, number: int) -> Mapping[str, WaiverRow]:
        """Return the waivers of this pull request by finding id."""
        waivers = self._database.rows(select(WaiverRow).filter_by(repository_id=repository_id, number=number))
        return {waiver.finding_id: waiver for waiver in sorted(waivers, key=lambda waiver: waiver.finding_id)}
