"""Comments that may contain a rule, and the criteria for their authors.

Review summaries are read as comments, because reviewers ask for changes there too.
"""

from __future__ import annotations

from assay.github.client import Permission
from assay.github_app.store import CommentRow, PullRow, ReviewRow, Store

KIND = "review"
EDITED_BY_OTHERS = "another account edited it"
BY_AUTHOR = "the author of the pull request wrote it"


def comment_named(store: Store, repository_id: int, kind: str, comment_id: int) -> CommentRow | None:
    """Return a comment, or the summary of a review; None if it is not stored."""
    if kind != KIND:
        return store.reviews.comment(repository_id, kind, comment_id)
    row = store.reviews.review(repository_id, comment_id)
    return None if row is None else as_comment(row)


def all_comments(store: Store, repository_id: int) -> list[CommentRow]:
    """Return all comments and non-empty reviews of a repository, in chronological order."""
    said = [as_comment(row) for row in store.reviews.reviews(repository_id) if row.body.strip()]
    said += store.reviews.comments(repository_id)
    return sorted(said, key=lambda row: (row.created_at or row.seen_at, row.kind, row.comment_id))


def as_comment(row: ReviewRow) -> CommentRow:
    """Return the review as a comment; its pull request has the author."""
    return CommentRow(
        repository_id=row.repository_id,
        kind=KIND,
        comment_id=row.review_id,
        number=row.number,
        author=row.reviewer,
        author_id=row.reviewer_id,
        is_bot=row.is_bot,
        is_by_pull_author=False,
        association=row.association,
        body=row.body,
        app_id=None,
        node_id=None,
        path=None,
        line=None,
        side=None,
        commit_sha=row.commit_sha,
        diff_hunk=None,
        review_id=row.review_id,
        in_reply_to=None,
        created_at=row.submitted_at,
        updated_at=row.version_at,
        is_deleted=False,
        seen_at=row.seen_at,
        edited_by=row.edited_by,
    )


def why_not(comment: CommentRow, pull: PullRow, permission: Permission) -> str | None:
    """Return why nothing is learned from a comment, whatever it contains; None if its author counts."""
    is_author = comment.author_id is not None and comment.author_id == pull.author_id
    if comment.is_deleted or not comment.body.strip():
        return "it was deleted"
    if comment.is_bot or comment.app_id is not None or comment.author.endswith("[bot]"):
        return "its author is a bot"
    if comment.edited_by is not None:
        return EDITED_BY_OTHERS
    if comment.is_by_pull_author or is_author or comment.author.lower() == pull.author.lower():
        return BY_AUTHOR
    if not permission.at_least(Permission.write):
        return "its author may not write in this repository"
    if is_command(comment.body):
        return "it is an `/assay` command"
    return None


def is_command(body: str) -> bool:
    """Return whether a comment starts with a command of the App."""
    return body.lstrip("\ufeff \t\r\n").startswith("/assay")


def thread_of(comment: CommentRow) -> str:
    """Return the thread of a comment: named after the first comment on that line, else after itself."""
    root = comment.in_reply_to if comment.kind == "line" and comment.in_reply_to else comment.comment_id
    return f"{comment.kind}:{root}"
