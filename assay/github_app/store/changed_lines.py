"""Which lines a judged head changed, so that a later fix of the same lines is seen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, Index, Integer, Table, delete, insert

from assay.github_app.store.columns import METADATA, Words, of_a_pull, pull_key
from assay.github_app.store.database import Database, by_key
from assay.github_app.store.pulls import ensure_pull

CHANGED_LINES = Table(
    "changed_lines",
    METADATA,
    *pull_key(is_primary=True),
    Column("head_sha", Words, primary_key=True),
    Column("position", Integer(), primary_key=True, autoincrement=False),
    Column("path", Words, nullable=False),
    Column("base_start", Integer(), nullable=False),
    Column("base_end", Integer(), nullable=False),
    Column("head_start", Integer(), nullable=False),
    Column("head_end", Integer(), nullable=False),
    of_a_pull(),
    Index(None, "repository_id", "path"),
    comment="Places a head changes: lines in the base and in the head; an empty side ends before it starts.",
)


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """One place of a change, 1-based and inclusive; a side without lines has `end` one less than `start`."""

    path: str
    base_start: int
    base_end: int
    head_start: int
    head_end: int


class Changes:
    """The table `changed_lines`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, repository_id: int, number: int, head_sha: str, lines: Iterable[ChangedLines], at: datetime) -> None:
        """The places this head changes, in place of what was said of it before."""
        key = {"repository_id": repository_id, "number": number, "head_sha": head_sha}
        rows = [
            {
                **key,
                "position": position,
                "path": one.path,
                "base_start": one.base_start,
                "base_end": one.base_end,
                "head_start": one.head_start,
                "head_end": one.head_end,
            }
            for position, one in enumerate(lines)
        ]
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            these = (CHANGED_LINES.c[name] == value for name, value in key.items())
            connection.execute(delete(CHANGED_LINES).where(*these))
            if rows:
                connection.execute(insert(CHANGED_LINES), rows)

    def of(self, repository_id: int, number: int, head_sha: str) -> tuple[ChangedLines, ...]:
        """The places a head changes; none when it was not judged."""
        key = {"repository_id": repository_id, "number": number, "head_sha": head_sha}
        with self._database.read() as connection:
            rows = list(connection.execute(by_key(CHANGED_LINES, key).order_by(CHANGED_LINES.c.position)))
        return tuple(ChangedLines(row.path, row.base_start, row.base_end, row.head_start, row.head_end) for row in rows)
