"""Changed lines of validated heads, to detect later fixes of the same lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Column, Index, Integer, Table, delete, insert, select

from assay.github_app.store.database.columns import METADATA, Words, of_a_pull, pull_key
from assay.github_app.store.database.database import Database, by_key
from assay.github_app.store.pulls.pulls import ensure_pull
from assay.github_app.store.tables.pull_tables import PULLS

MOST_PLACES = 5000
"""Maximum stored places of one head; a larger change is a mass edit and not a fix."""


MOST_PATHS = 500
"""Maximum paths per query."""


class Side(StrEnum):
    """Side of the lines: `base` for removed or replaced lines, `head` for added ones."""

    base = "base"
    head = "head"


CHANGED_LINES = Table(
    "changed_lines",
    METADATA,
    *pull_key(is_primary=True),
    Column("head_sha", Words, primary_key=True),
    Column("position", Integer(), primary_key=True, autoincrement=False),
    Column("side", Words, nullable=False),
    Column("path", Words, nullable=False),
    Column("first", Integer(), nullable=False),
    Column("last", Integer(), nullable=False),
    of_a_pull(),
    Index(None, "repository_id", "path"),
    info={"holds": "Changed places of validated heads: first and last line, removed on the base, added on the head."},
)


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """One place of a change, 1-based and inclusive."""

    side: Side
    path: str
    first: int
    last: int


class Changes:
    """The table `changed_lines`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, repository_id: int, number: int, head_sha: str, lines: Iterable[ChangedLines], at: datetime) -> None:
        """Replace the changed lines of this head; at most `MOST_PLACES` are stored."""
        key = {"repository_id": repository_id, "number": number, "head_sha": head_sha}
        rows = [{**key, "position": i, **asdict(one)} for i, one in zip(range(MOST_PLACES), lines, strict=False)]
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            these = (CHANGED_LINES.c[name] == value for name, value in key.items())
            connection.execute(delete(CHANGED_LINES).where(*these))
            if rows:
                connection.execute(insert(CHANGED_LINES), rows)

    def of(self, repository_id: int, number: int, head_sha: str) -> tuple[ChangedLines, ...]:
        """Return the changed lines of a head; empty if it was not validated."""
        key = {"repository_id": repository_id, "number": number, "head_sha": head_sha}
        with self._database.read() as connection:
            rows = list(connection.execute(by_key(CHANGED_LINES, key).order_by(CHANGED_LINES.c.position)))
        return tuple(ChangedLines(Side(row.side), row.path, row.first, row.last) for row in rows)

    def of_merged(
        self, repository_id: int, side: Side, paths: Collection[str], since: datetime, until: datetime
    ) -> Mapping[int, tuple[ChangedLines, ...]]:
        """Return merged pull requests of this period (inclusive) with their changed lines in these paths.

        Only the first `MOST_PATHS` paths are searched: a change of more files is not a fix of particular lines.
        """
        first = sorted(paths)[:MOST_PATHS]
        merged_head = (
            (PULLS.c.repository_id == CHANGED_LINES.c.repository_id)
            & (PULLS.c.number == CHANGED_LINES.c.number)
            & (PULLS.c.head_sha == CHANGED_LINES.c.head_sha)
        )
        wanted = (
            select(CHANGED_LINES)
            .join(PULLS, merged_head)
            .where(CHANGED_LINES.c.repository_id == repository_id, CHANGED_LINES.c.path.in_(first))
            .where(CHANGED_LINES.c.side == side, PULLS.c.is_merged, PULLS.c.merged_at.between(since, until))
            .order_by(CHANGED_LINES.c.number, CHANGED_LINES.c.position)
        )
        found: dict[int, list[ChangedLines]] = {}
        with self._database.read() as connection:
            for row in connection.execute(wanted):
                found.setdefault(row.number, []).append(ChangedLines(side, row.path, row.first, row.last))
        return {number: tuple(places) for number, places in found.items()}
