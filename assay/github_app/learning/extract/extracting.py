"""Whose comments count: those of reviewers with write access, unedited by others, on other authors' work."""

from __future__ import annotations

from assay.github.client import Permission
from assay.github_app.store import CommentRow, PullRow

COMMAND_PREFIX = "/assay"


def why_not(comment: CommentRow, pull: PullRow, permission: Permission) -> str | None:
    """Return why nothing is learned from a comment, whatever it contains; None if its author counts."""
    is_author = comment.author_id is not None and comment.author_id == pull.author_id
    if comment.is_deleted or not comment.body.strip():
        return "it was deleted"
    if comment.is_bot or comment.app_id is not None or comment.author.endswith("[bot]"):
        return "its author is a bot"
    if comment.edited_by is not None:
        return "another account edited it"
    if comment.is_by_pull_author or is_author or comment.author.lower() == pull.author.lower():
        return "the author of the pull request wrote it"
    if not permission.at_least(Permission.write):
        return "its author may not write in this repository"
    if comment.body.lstrip("\ufeff \t\r\n").startswith(COMMAND_PREFIX):
        return "it is an `/assay` command"
    return None


def thread_of(comment: CommentRow) -> str:
    """Return the thread of a comment: named after the first comment on that line, else after itself."""
    root = comment.in_reply_to if comment.kind == "line" and comment.in_reply_to else comment.comment_id
    return f"{comment.kind}:{root}"
