"""Versions of the instructions agents work under, with their text."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import BigKey, Json, Kept, Key, StoredRow, described
from assay.github_app.store.database.database import Tables, insert_new, locked
from assay.github_app.store.tables.pull_tables import PullRow
from assay.github_app.store.tasks.tasks import TaskRow


class PromptVersionRow(StoredRow):
    """One version: `source` is `files` (the version is the hash of `texts`, path -> text) or `declared`."""

    __tablename__ = "prompt_versions"
    __table_args__ = described(
        "Versions of a repository's instruction files: path and text; a declared one has only a name.",
        Kept.history_days,
    )

    repository_id: Mapped[BigKey]
    version: Mapped[Key]
    source: Mapped[str]
    texts: Mapped[Mapping[str, str]] = mapped_column(Json)
    first_seen_at: Mapped[datetime]


class PromptVersions(Tables):
    """The table `prompt_versions`."""

    def put(self, repository_id: int, version: str, source: str, texts: Mapping[str, str], at: datetime) -> bool:
        """Store a version; return False if it is stored already.

        A version found in files replaces a declared name, and one with its text replaces the name alone.
        """
        key = {"repository_id": repository_id, "version": version}
        values = {**key, "source": source, "texts": dict(texts), "first_seen_at": at}
        with self._database.write() as connection:
            if insert_new(connection, PromptVersionRow, values):
                return True
            row = locked(connection, PromptVersionRow, key)
            if row is None:
                return False
            changes: dict[str, Any] = {"first_seen_at": min(at, row.first_seen_at)}
            if row.source != "files" and (source == "files" or (texts and not row.texts)):
                changes |= {"source": source, "texts": dict(texts)}
            connection.execute(update(PromptVersionRow).filter_by(**key).values(**changes))
            return False

    def get(self, repository_id: int, version: str) -> PromptVersionRow | None:
        """Return the version with this hash or name."""
        return self._database.one(select(PromptVersionRow).filter_by(repository_id=repository_id, version=version))

    def pulls_under(self, repository_id: int) -> Mapping[str, tuple[int, ...]]:
        """Return version -> the numbers of its pull requests."""
        wanted = (
            select(PullRow.prompt_version, PullRow.number)
            .where(PullRow.repository_id == repository_id, PullRow.prompt_version.is_not(None))
            .order_by(PullRow.number)
        )
        found: dict[str, list[int]] = {}
        with self._database.read() as connection:
            for row in connection.execute(wanted):
                found.setdefault(row.prompt_version, []).append(row.number)
        return {version: tuple(numbers) for version, numbers in found.items()}

    def tasks_under(self, repository_id: int) -> Mapping[str, int]:
        """Return version -> the number of its tasks."""
        wanted = (
            select(TaskRow.prompt_version, func.count())
            .where(TaskRow.repository_id == repository_id, TaskRow.prompt_version.is_not(None))
            .group_by(TaskRow.prompt_version)
        )
        with self._database.read() as connection:
            return {version: number for version, number in connection.execute(wanted) if version is not None}

    def of(self, repository_id: int) -> tuple[PromptVersionRow, ...]:
        """Return the versions of a repository, oldest first."""
        ordered = (
            select(PromptVersionRow)
            .filter_by(repository_id=repository_id)
            .order_by(PromptVersionRow.first_seen_at, PromptVersionRow.version)
        )
        return self._database.rows(ordered)
