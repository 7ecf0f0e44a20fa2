"""Fix cycles: deliveries of findings to an agent, per tier of a pull request."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Mapped

from assay.github_app.store.database.columns import Big, Kept, Key, OfAPull, StoredRow, described, of_a_pull
from assay.github_app.store.database.database import Tables, insert_new
from assay.github_app.store.pulls.pulls import ensure_pull


class CycleRow(OfAPull, StoredRow):
    """One delivery of a tier's findings for one head."""

    __tablename__ = "fix_cycles"
    __table_args__ = (
        of_a_pull(),
        described(
            "Heads whose findings were delivered to an agent; `fingerprint` detects a repeated failure.", Kept.pull
        ),
    )

    tier: Mapped[Key]
    head_sha: Mapped[Key]
    fingerprint: Mapped[str]
    comment_id: Mapped[Big | None]
    agent: Mapped[str | None]
    at: Mapped[datetime]


class Cycles(Tables):
    """The table `fix_cycles`."""

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
            if insert_new(connection, CycleRow, {**key, **rest}):
                return True
            if comment_id is not None:
                without = update(CycleRow).filter_by(**key, comment_id=None)
                connection.execute(without.values(comment_id=comment_id))
            return False

    def of(self, repository_id: int, number: int, tier: str) -> tuple[CycleRow, ...]:
        """Return the deliveries of a tier, oldest first; their number is the number of cycles."""
        of_tier = select(CycleRow).filter_by(repository_id=repository_id, number=number, tier=tier)
        return self._database.rows(of_tier.order_by(CycleRow.at, CycleRow.head_sha))
