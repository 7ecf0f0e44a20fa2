"""Changed lines of validated heads, to detect later fixes of the same lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from operator import attrgetter

from sqlalchemy import Index, delete, insert, select
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import BigKey, Choice, Kept, Key, StoredRow, described, of_a_pull
from assay.github_app.store.database.database import Tables, values_of
from assay.github_app.store.pulls.pulls import ensure_pull
from assay.github_app.store.tables.pull_tables import PullRow

MOST_PLACES = 5000
"""Maximum stored places of one head; a larger change is a mass edit and not a fix."""


MOST_PATHS = 500
"""Maximum paths per query."""


class Side(StrEnum):
    """Side of the lines: `base` for removed or replaced lines, `head` for added ones."""

    base = "base"
    head = "head"


class ChangedLines(StoredRow):
    """One place of a change, 1-based and inclusive."""

    __tablename__ = "changed_lines"
    __table_args__ = (
        of_a_pull(),
        Index(None, "repository_id", "path"),
        described(
            "Changed places of validated heads: first and last line, removed on the base, added on the head.", Kept.pull
        ),
    )

    side: Mapped[Side] = mapped_column(Choice(Side))
    path: Mapped[str]
    first: Mapped[int]
    last: Mapped[int]
    repository_id: Mapped[BigKey] = mapped_column(init=False, repr=False, compare=False)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, init=False, repr=False, compare=False)
    head_sha: Mapped[Key] = mapped_column(init=False, repr=False, compare=False)
    position: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, init=False, repr=False, compare=False)


class Changes(Tables):
    """The table `changed_lines`."""

    def put(self, repository_id: int, number: int, head_sha: str, lines: Iterable[ChangedLines], at: datetime) -> None:
        """Replace the changed lines of this head; at most `MOST_PLACES` are stored."""
        key = {"repository_id": repository_id, "number": number, "head_sha": head_sha}
        numbered = zip(range(MOST_PLACES), lines, strict=False)
        rows = [{**values_of(one), **key, "position": position} for position, one in numbered]
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            connection.execute(delete(ChangedLines).filter_by(**key))
            if rows:
                connection.execute(insert(ChangedLines), rows)

    def of(self, repository_id: int, number: int, head_sha: str) -> tuple[ChangedLines, ...]:
        """Return the changed lines of a head; empty if it was not validated."""
        key = {"repository_id": repository_id, "number": number, "head_sha": head_sha}
        return self._database.rows(select(ChangedLines).filter_by(**key).order_by(ChangedLines.position))

    def of_merged(
        self, repository_id: int, side: Side, paths: Collection[str], since: datetime, until: datetime
    ) -> Mapping[int, tuple[ChangedLines, ...]]:
        """Return merged pull requests of this period (inclusive) with their changed lines in these paths.

        Only the first `MOST_PATHS` paths are searched: a change of more files is not a fix of particular lines.
        """
        first = sorted(paths)[:MOST_PATHS]
        merged_head = (
            (PullRow.repository_id == ChangedLines.repository_id)
            & (PullRow.number == ChangedLines.number)
            & (PullRow.head_sha == ChangedLines.head_sha)
        )
        wanted = (
            select(ChangedLines)
            .join(PullRow, merged_head)
            .where(ChangedLines.repository_id == repository_id, ChangedLines.path.in_(first))
            .where(ChangedLines.side == side, PullRow.is_merged, PullRow.merged_at.between(since, until))
            .order_by(ChangedLines.number, ChangedLines.position)
        )
        places = self._database.rows(wanted)
        return {number: tuple(of_one) for number, of_one in groupby(places, key=attrgetter("number"))}
