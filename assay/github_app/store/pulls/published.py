"""Assay's published texts on GitHub per pull request, so that they are edited and not duplicated."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import Big, BigKey, Kept, StoredRow, described, of_a_pull
from assay.github_app.store.database.database import Tables, insert_new, locked, put, values_of
from assay.github_app.store.pulls.pulls import ensure_pull


class PublishedRow(StoredRow):
    """Published state. `extra` is plain JSON data of the publishing package."""

    __tablename__ = "published"
    __table_args__ = (
        of_a_pull(),
        described("Ids of Assay's Check Run, comment and reviews, and its label, per pull request.", Kept.pull),
    )

    head_sha: Mapped[str | None] = mapped_column(default=None)
    check_run_id: Mapped[Big | None] = mapped_column(default=None)
    comment_id: Mapped[Big | None] = mapped_column(default=None)
    review_ids: Mapped[tuple[int, ...]] = mapped_column(default=())
    label: Mapped[str | None] = mapped_column(default=None)
    extra: Mapped[Mapping[str, Any]] = mapped_column(default_factory=dict)
    repository_id: Mapped[BigKey] = mapped_column(init=False, repr=False, compare=False)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, init=False, repr=False, compare=False)
    at: Mapped[datetime] = mapped_column(init=False, repr=False, compare=False)


class Published(Tables):
    """The table `published`."""

    def put(self, repository_id: int, number: int, row: PublishedRow, at: datetime) -> bool:
        """Store what is published; return False if a newer state is stored."""
        key = {"repository_id": repository_id, "number": number}
        values = {**values_of(row), **key, "at": at}
        with self._database.write() as connection:
            ensure_pull(connection, repository_id, number, at)
            if insert_new(connection, PublishedRow, values):
                return True
            known = locked(connection, PublishedRow, key)
            if known is not None and known.at > at:
                return False
            put(connection, PublishedRow, values)
            return True

    def get(self, repository_id: int, number: int) -> PublishedRow:
        """Return what is published; an empty row if nothing was."""
        wanted = select(PublishedRow).filter_by(repository_id=repository_id, number=number)
        return self._database.one(wanted) or PublishedRow()
