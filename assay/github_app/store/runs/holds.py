"""Holds: heads whose risk requires approval, and their approvals."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, Update, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import Kept, Key, OfAPull, StoredRow, described, of_a_pull
from assay.github_app.store.database.database import Tables, one
from assay.github_app.store.pulls.pulls import ensure_pull


class HoldRow(OfAPull, StoredRow):
    """A hold on one head. `placed_by` is None if the verdict placed it, else a login.

    `released_by` is None while it is active, and if it ended by itself.
    """

    __tablename__ = "holds"
    __table_args__ = (
        of_a_pull(),
        described("Holds and their releases; a hold belongs to one head.", Kept.pull),
    )

    head_sha: Mapped[Key]
    turn: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    level: Mapped[str]
    reasons: Mapped[tuple[str, ...]]
    placed_by: Mapped[str | None]
    placed_at: Mapped[datetime]
    released_by: Mapped[str | None]
    released_at: Mapped[datetime | None]
    release_reason: Mapped[str | None]

    @property
    def is_active(self) -> bool:
        return self.released_at is None


class Holds(Tables):
    """The table `holds`."""

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
                connection.execute(_update(last).values(level=level, reasons=list(reasons)))
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
                connection.execute(insert(HoldRow).values(**values))
            placed = _newest(connection, repository_id, number, head_sha)
            if placed is None:
                raise LookupError(f"the hold of {repository_id}#{number} is not there after it was placed")
            return placed

    def release(
        self, repository_id: int, number: int, head_sha: str, by: str | None, reason: str, at: datetime
    ) -> HoldRow | None:
        """Release the hold of this head; return None without an active hold (the first release is recorded).

        `by` is None for a hold that ends by itself.
        """
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            last = _newest(connection, repository_id, number, head_sha)
            if last is None or not last.is_active:
                return None
            connection.execute(_update(last).values(released_by=by, released_at=at, release_reason=reason))
            return _newest(connection, repository_id, number, head_sha)

    def current(self, repository_id: int, number: int, head_sha: str) -> HoldRow | None:
        """Return the newest hold of this head, active or released, or None."""
        with self._database.read() as connection:
            return _newest(connection, repository_id, number, head_sha)

    def of_head(self, repository_id: int, head_sha: str) -> tuple[HoldRow, ...]:
        """Return the holds of a commit in every pull request of a repository, oldest first."""
        wanted = select(HoldRow).where(HoldRow.repository_id == repository_id, HoldRow.head_sha == head_sha)
        return self._database.rows(wanted.order_by(HoldRow.placed_at, HoldRow.turn))

    def history(self, repository_id: int, number: int) -> tuple[HoldRow, ...]:
        """Return all holds of a pull request, oldest first."""
        wanted = select(HoldRow).where(HoldRow.repository_id == repository_id, HoldRow.number == number)
        return self._database.rows(wanted.order_by(HoldRow.placed_at, HoldRow.turn))


def _newest(connection: Connection, repository_id: int, number: int, head_sha: str) -> HoldRow | None:
    of_head = select(HoldRow).filter_by(repository_id=repository_id, number=number, head_sha=head_sha)
    return one(connection, of_head.order_by(HoldRow.turn.desc()).limit(1))


def _update(hold: HoldRow) -> Update:
    key = {"repository_id": hold.repository_id, "number": hold.number, "head_sha": hold.head_sha, "turn": hold.turn}
    return update(HoldRow).filter_by(**key)
