"""Versions of the instructions agents work under, with their text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Table, func, select, update

from assay.github_app.store.database.columns import BIG, METADATA, Json, UtcTime, Words
from assay.github_app.store.database.database import Database, by_key, insert_new, locked
from assay.github_app.store.tables.pull_tables import PULLS
from assay.github_app.store.tasks.tasks import TASKS

PROMPT_VERSIONS = Table(
    "prompt_versions",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("version", Words, primary_key=True),
    Column("source", Words, nullable=False),
    Column("texts", Json, nullable=False),
    Column("first_seen_at", UtcTime, nullable=False),
    info={"holds": "Versions of a repository's instruction files: path and text; a declared one has only a name."},
)


@dataclass(frozen=True, slots=True)
class PromptVersionRow:
    """One version: `source` is `files` (the version is the hash of `texts`, path -> text) or `declared`."""

    repository_id: int
    version: str
    source: str
    texts: Mapping[str, str]
    first_seen_at: datetime


class PromptVersions:
    """The table `prompt_versions`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, repository_id: int, version: str, source: str, texts: Mapping[str, str], at: datetime) -> bool:
        """Store a version; return False if it is stored already.

        A version found in files replaces a declared name, and one with its text replaces the name alone.
        """
        key = {"repository_id": repository_id, "version": version}
        values = {**key, "source": source, "texts": dict(texts), "first_seen_at": at}
        with self._database.write() as connection:
            if insert_new(connection, PROMPT_VERSIONS, values):
                return True
            row = locked(connection, PROMPT_VERSIONS, key)
            if row is None:
                return False
            changes: dict[str, Any] = {"first_seen_at": min(at, row.first_seen_at)}
            if row.source != "files" and (source == "files" or (texts and not row.texts)):
                changes |= {"source": source, "texts": dict(texts)}
            this = (PROMPT_VERSIONS.c[name] == value for name, value in key.items())
            connection.execute(update(PROMPT_VERSIONS).where(*this).values(**changes))
            return False

    def get(self, repository_id: int, version: str) -> PromptVersionRow | None:
        """Return the version with this hash or name."""
        key = {"repository_id": repository_id, "version": version}
        with self._database.read() as connection:
            row = connection.execute(by_key(PROMPT_VERSIONS, key)).one_or_none()
        return None if row is None else PromptVersionRow(**row._asdict())

    def pulls_under(self, repository_id: int) -> Mapping[str, tuple[int, ...]]:
        """Return version -> the numbers of its pull requests."""
        wanted = (
            select(PULLS.c.prompt_version, PULLS.c.number)
            .where(PULLS.c.repository_id == repository_id, PULLS.c.prompt_version.is_not(None))
            .order_by(PULLS.c.number)
        )
        found: dict[str, list[int]] = {}
        with self._database.read() as connection:
            for row in connection.execute(wanted):
                found.setdefault(row.prompt_version, []).append(row.number)
        return {version: tuple(numbers) for version, numbers in found.items()}

    def tasks_under(self, repository_id: int) -> Mapping[str, int]:
        """Return version -> the number of its tasks."""
        wanted = (
            select(TASKS.c.prompt_version, func.count())
            .where(TASKS.c.repository_id == repository_id, TASKS.c.prompt_version.is_not(None))
            .group_by(TASKS.c.prompt_version)
        )
        with self._database.read() as connection:
            return {row[0]: row[1] for row in connection.execute(wanted)}

    def of(self, repository_id: int) -> tuple[PromptVersionRow, ...]:
        """Return the versions of a repository, oldest first."""
        ordered = by_key(PROMPT_VERSIONS, {"repository_id": repository_id}).order_by(
            PROMPT_VERSIONS.c.first_seen_at, PROMPT_VERSIONS.c.version
        )
        with self._database.read() as connection:
            return tuple(PromptVersionRow(**row._asdict()) for row in connection.execute(ordered))
