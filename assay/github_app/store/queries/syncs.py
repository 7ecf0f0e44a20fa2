"""Progress of history imports, so that an import resumes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Column, Integer, Table

from assay.github_app.store.database.columns import METADATA, UtcTime, of_a_pull, pull_key
from assay.github_app.store.database.database import Database, by_key, put
from assay.github_app.store.pulls.pulls import ensure_pull

SYNCS = Table(
    "synced_pulls",
    METADATA,
    *pull_key(is_primary=True),
    Column("reading", Integer(), nullable=False),
    Column("updated_at", UtcTime),
    Column("synced_at", UtcTime, nullable=False),
    of_a_pull(),
    info={"holds": "Pull requests whose history was imported from GitHub, and their `updated_at` at that time."},
)


@dataclass(frozen=True, slots=True)
class SyncedRow:
    """Import state of a pull request: the version of the importer, and GitHub's `updated_at` at that time."""

    number: int
    reading: int
    updated_at: datetime | None
    synced_at: datetime


class Syncs:
    """The table `synced_pulls`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, repository_id: int, number: int, reading: int, updated_at: datetime | None, at: datetime) -> None:
        """Record that this pull request's history is stored, as of `updated_at`."""
        key = {"repository_id": repository_id, "number": number}
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            put(connection, SYNCS, {**key, "reading": reading, "updated_at": updated_at, "synced_at": at})

    def of(self, repository_id: int) -> Mapping[int, SyncedRow]:
        """Return the synced pull requests of a repository, by number."""
        wanted = by_key(SYNCS, {"repository_id": repository_id}).with_only_columns(
            SYNCS.c.number, SYNCS.c.reading, SYNCS.c.updated_at, SYNCS.c.synced_at
        )
        with self._database.read() as connection:
            return {row.number: SyncedRow(*row) for row in connection.execute(wanted)}
