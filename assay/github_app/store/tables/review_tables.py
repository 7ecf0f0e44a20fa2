"""Tables of reviews, comments and threads, and their rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Boolean, Column, Index, Integer, Table

from assay.github_app.store.database.columns import BIG, METADATA, Json, UtcTime, Words, of_a_pull

REVIEWS = Table(
    "reviews",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("review_id", BIG, primary_key=True, autoincrement=False),
    Column("number", Integer(), nullable=False),
    Column("reviewer", Words, nullable=False),
    Column("reviewer_id", BIG),
    Column("is_bot", Boolean(), nullable=False),
    Column("state", Words, nullable=False),
    Column("first_state", Words),
    Column("body", Words, nullable=False),
    Column("commit_sha", Words),
    Column("association", Words, nullable=False),
    Column("submitted_at", UtcTime),
    Column("version_at", UtcTime, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    Column("edited_by", Words),
    of_a_pull(),
    Index(None, "repository_id", "number", "submitted_at"),
    info={"holds": "Submitted reviews; `first_state` is the verdict before a dismissal."},
)

COMMENTS = Table(
    "comments",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("kind", Words, primary_key=True),
    Column("comment_id", BIG, primary_key=True, autoincrement=False),
    Column("number", Integer(), nullable=False),
    Column("author", Words, nullable=False),
    Column("author_id", BIG),
    Column("is_bot", Boolean(), nullable=False),
    Column("is_by_pull_author", Boolean(), nullable=False),
    Column("association", Words, nullable=False),
    Column("body", Words, nullable=False),
    Column("app_id", BIG),
    Column("node_id", Words),
    Column("path", Words),
    Column("line", Integer()),
    Column("side", Words),
    Column("commit_sha", Words),
    Column("diff_hunk", Words),
    Column("review_id", BIG),
    Column("in_reply_to", BIG),
    Column("created_at", UtcTime),
    Column("updated_at", UtcTime),
    Column("is_deleted", Boolean(), nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    Column("edited_by", Words),
    of_a_pull(),
    Index(None, "repository_id", "number", "created_at"),
    Index(None, "repository_id", "review_id"),
    info={"holds": "Comments on lines (`line`) and in conversations (`conversation`); a deleted one has no text."},
)

THREADS = Table(
    "threads",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("node_id", Words, primary_key=True),
    Column("number", Integer(), nullable=False),
    Column("root_comment_id", BIG),
    Column("comment_ids", Json, nullable=False),
    Column("is_resolved", Boolean(), nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    of_a_pull(),
    Index(None, "repository_id", "number"),
    Index(None, "repository_id", "root_comment_id"),
    info={"holds": "Review threads and whether they are resolved."},
)


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A submitted review. `first_state` is the state before a dismissal; `edited_by` as of a comment."""

    repository_id: int
    review_id: int
    number: int
    reviewer: str
    reviewer_id: int | None
    is_bot: bool
    state: str
    first_state: str | None
    body: str
    commit_sha: str | None
    association: str
    submitted_at: datetime | None
    version_at: datetime
    seen_at: datetime
    edited_by: str | None = None


@dataclass(frozen=True, slots=True)
class CommentRow:
    """A comment. `kind` is `line` or `conversation`; a deleted one has no text.

    `edited_by` is the last editor, if not the author: users with write access may edit others' comments.
    """

    repository_id: int
    kind: str
    comment_id: int
    number: int
    author: str
    author_id: int | None
    is_bot: bool
    is_by_pull_author: bool
    association: str
    body: str
    app_id: int | None
    node_id: str | None
    path: str | None
    line: int | None
    side: str | None
    commit_sha: str | None
    diff_hunk: str | None
    review_id: int | None
    in_reply_to: int | None
    created_at: datetime | None
    updated_at: datetime | None
    is_deleted: bool
    seen_at: datetime
    edited_by: str | None = None


@dataclass(frozen=True, slots=True)
class ThreadRow:
    """A review thread; `root_comment_id` opened it."""

    repository_id: int
    node_id: str
    number: int
    root_comment_id: int | None
    comment_ids: tuple[int, ...]
    is_resolved: bool
    changed_at: datetime
