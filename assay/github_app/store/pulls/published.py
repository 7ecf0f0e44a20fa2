"""Assay's published texts on GitHub per pull request, so that they are edited and not duplicated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Table

from assay.github_app.store.database.columns import BIG, METADATA, Json, UtcTime, Words, of_a_pull, pull_key
from assay.github_app.store.database.database import Database, by_key, insert_new, locked, put
from assay.github_app.store.pulls.pulls import ensure_pull

PUBLISHED = Table(
    "published",
    METADATA,
    *pull_key(is_primary=True),
    Column("head_sha", Words),
    Column("check_run_id", BIG),
    Column("comment_id", BIG),
    Column("review_ids", Json, nullable=False),
    Column("label", Words),
    Column("extra", Json, nullable=False),
    Column("at", UtcTime, nullable=False),
    of_a_pull(),
    info={"holds": "Ids of Assay's Check Run, comment and reviews, and its label, per pull request."},
)


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """Published state. `extra` is plain JSON data of the publishing package."""

    head_sha: str | None = None
    check_run_id: int | None = None
    comment_id: int | None = None
    review_ids: tuple[int, ...] = ()
    label: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


class Published:
    """The table `published`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, repository_id: int, number: int, row: PublishedRow, at: datetime) -> bool:
        """Store what is published; return False if a newer state is stored."""
        key = {"repository_id": repository_id, "number": number}
        values = {
            **key,
            "head_sha": row.head_sha,
            "check_run_id": row.check_run_id,
            "comment_id": row.comment_id,
            "review_ids": list(row.review_ids),
            "label": row.label,
            "extra": dict(row.extra),
            "at": at,
        }
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            if insert_new(connection, PUBLISHED, values):
                return True
            known = locked(connection, PUBLISHED, key)
            if known is not None and known.at > at:
                return False
            put(connection, PUBLISHED, values)
            return True

    def get(self, repository_id: int, number: int) -> PublishedRow:
        """Return what is published; an empty row if nothing was."""
        with self._database.read() as connection:
            row = connection.execute(
                by_key(PUBLISHED, {"repository_id": repository_id, "number": number})
            ).one_or_none()
        if row is None:
            return PublishedRow()
        return PublishedRow(row.head_sha, row.check_run_id, row.comment_id, tuple(row.review_ids), row.label, row.extra)
