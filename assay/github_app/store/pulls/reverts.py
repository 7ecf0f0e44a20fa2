"""Detected reverts with their target, which may become known only later."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Mapped

from assay.github_app.store.database.columns import BigKey, Kept, Key, StoredRow, described
from assay.github_app.store.database.database import Tables, insert_new


class RevertRow(StoredRow):
    """`cause` (a commit id or `#number`) reverts `reverted` (a commit id of 7 digits or more, or `#number`)."""

    __tablename__ = "reverts"
    __table_args__ = described(
        "Reverts: the reverting commit or `#number`, and the reverted commit id (maybe cut) or `#number`.",
        Kept.history_days,
    )

    repository_id: Mapped[BigKey]
    cause: Mapped[Key]
    reverted: Mapped[Key]
    at: Mapped[datetime]


class Reverts(Tables):
    """The table `reverts`."""

    def put(self, repository_id: int, cause: str, reverted: str, at: datetime) -> bool:
        """Store a revert; return False if it is stored already."""
        values = {"repository_id": repository_id, "cause": cause, "reverted": reverted, "at": at}
        with self._database.write() as connection:
            return insert_new(connection, RevertRow, values)

    def of(self, repository_id: int, number: int, commits: Iterable[str]) -> tuple[RevertRow, ...]:
        """Return the reverts that name this pull request or one of these commits, abbreviated or in full."""
        names = {f"#{number}", *(sha[:length] for sha in commits for length in range(7, len(sha) + 1))}
        these = (RevertRow.repository_id == repository_id, RevertRow.reverted.in_(sorted(names)))
        return self._database.rows(select(RevertRow).where(*these).order_by(RevertRow.at, RevertRow.cause))
