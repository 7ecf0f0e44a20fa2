"""Tables of reviews, comments and threads, and their rows."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import Big, BigKey, Kept, Key, StoredRow, described, of_a_pull


class ReviewRow(StoredRow):
    """A submitted review. `first_state` is the state before a dismissal; `edited_by` as of a comment."""

    __tablename__ = "reviews"
    __table_args__ = (
        of_a_pull(),
        Index(None, "repository_id", "number", "submitted_at"),
        described("Submitted reviews; `first_state` is the verdict before a dismissal.", Kept.pull),
    )

    repository_id: Mapped[BigKey]
    review_id: Mapped[BigKey]
    number: Mapped[int]
    reviewer: Mapped[str]
    reviewer_id: Mapped[Big | None]
    is_bot: Mapped[bool]
    state: Mapped[str]
    first_state: Mapped[str | None]
    body: Mapped[str]
    commit_sha: Mapped[str | None]
    association: Mapped[str]
    submitted_at: Mapped[datetime | None]
    version_at: Mapped[datetime]
    seen_at: Mapped[datetime]
    edited_by: Mapped[str | None] = mapped_column(default=None)


class CommentRow(StoredRow):
    """A comment. `kind` is `line` or `conversation`; a deleted one has no text.

    `edited_by` is the last editor, if not the author: users with write access may edit others' comments.
    """

    __tablename__ = "comments"
    __table_args__ = (
        of_a_pull(),
        Index(None, "repository_id", "number", "created_at"),
        Index(None, "repository_id", "review_id"),
        described(
            "Comments on lines (`line`) and in conversations (`conversation`); a deleted one has no text.", Kept.pull
        ),
    )

    repository_id: Mapped[BigKey]
    kind: Mapped[Key]
    comment_id: Mapped[BigKey]
    number: Mapped[int]
    author: Mapped[str]
    author_id: Mapped[Big | None]
    is_bot: Mapped[bool]
    is_by_pull_author: Mapped[bool]
    association: Mapped[str]
    body: Mapped[str]
    app_id: Mapped[Big | None]
    node_id: Mapped[str | None]
    path: Mapped[str | None]
    line: Mapped[int | None]
    side: Mapped[str | None]
    commit_sha: Mapped[str | None]
    diff_hunk: Mapped[str | None]
    review_id: Mapped[Big | None]
    in_reply_to: Mapped[Big | None]
    created_at: Mapped[datetime | None]
    updated_at: Mapped[datetime | None]
    is_deleted: Mapped[bool]
    seen_at: Mapped[datetime]
    edited_by: Mapped[str | None] = mapped_column(default=None)


class ThreadRow(StoredRow):
    """A review thread; `root_comment_id` opened it."""

    __tablename__ = "threads"
    __table_args__ = (
        of_a_pull(),
        Index(None, "repository_id", "number"),
        Index(None, "repository_id", "root_comment_id"),
        described("Review threads and whether they are resolved.", Kept.pull),
    )

    repository_id: Mapped[BigKey]
    node_id: Mapped[Key]
    number: Mapped[int]
    root_comment_id: Mapped[Big | None]
    comment_ids: Mapped[tuple[int, ...]]
    is_resolved: Mapped[bool]
    changed_at: Mapped[datetime]
