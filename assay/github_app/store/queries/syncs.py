"""Progress of history imports, so that an import resumes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Mapped

from assay.github_app.store.database.columns import Kept, OfAPull, StoredRow, described, of_a_pull
from assay.github_app.store.database.database import Tables, put
from assay.github_app.store.pulls.pulls import ensure_pull


class SyncedRow(OfAPull, StoredRow):
    """Import state of a pull request: the version of the importer, and GitHub's `updated_at` at that time."""

    __tablename__ = "synced_pulls"
    __table_args__ = (
        of_a_pull(),
        described(
            "Pull requests whose history was imported from GitHub, and their `updated_at` at that time.", Kept.pull
        ),
    )

    reading: Mapped[int]
    updated_at: Mapped[datetime | None]
    synced_at: Mapped[datetime]


class Syncs(Tables):
    """The table `synced_pulls`."""

    def put(self, repository_id: int, number: int, reading: int, updated_at: datetime | None, at: datetime) -> None:
        """Record that this pull request's history is stored, as of `updated_at`."""
        key = {"repository_id": repository_id, "number": number}
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            put(connection, SyncedRow, {**key, "reading": reading, "updated_at": updated_at, "synced_at": at})

    def of(self, repository_id: int) -> Mapping[int, SyncedRow]:
        """Return the synced pull requests of a repository, by number."""
        synced = self._database.rows(select(SyncedRow).filter_by(repository_id=repository_id))
        return {row.number: row for row in synced}
