"""Comments in a pull request's conversation and on its lines, reactions, and minimizing of outdated ones."""

from __future__ import annotations

from assay.github.client.connection import Connection, understood
from assay.github.client.limits import MOST_COMMENT_BYTES
from assay.github.client.truncate import cut
from assay.github.events.github_json import comment_from
from assay.github.events.model import CommentFacts

_READ = "pull_requests: read"
_WRITE = "pull_requests: write"

REACTIONS = frozenset({"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"})
"""REST, "Create reaction for an issue comment": "content … Can be one of"."""

CLASSIFIERS = frozenset({"OUTDATED", "RESOLVED", "DUPLICATE", "OFF_TOPIC", "SPAM", "ABUSE"})
_MINIMISE = """mutation($id: ID!, $why: ReportedContentClassifiers!) {
  minimizeComment(input: {subjectId: $id, classifier: $why}) { minimizedComment { isMinimized } }
}"""


def comments(connection: Connection, repository: str, number: int) -> tuple[CommentFacts, ...]:
    """Return the comments of the conversation, oldest first."""
    what = "read the comments"
    found = connection.pages(f"/repos/{repository}/issues/{number}/comments", what, _READ)
    return tuple(understood(comment_from, one, what) for one in found)


def review_comments(connection: Connection, repository: str, number: int) -> tuple[CommentFacts, ...]:
    """Return the comments on lines, oldest first."""
    what = "read the review comments"
    found = connection.pages(f"/repos/{repository}/pulls/{number}/comments", what, _READ)
    return tuple(understood(comment_from, one, what) for one in found)


def create_comment(connection: Connection, repository: str, number: int, body: str) -> CommentFacts:
    """Create an issue comment. It may exist after a lost response, so search for it before a retry."""
    path = f"/repos/{repository}/issues/{number}/comments"
    what = "create a comment"
    data = connection.send("POST", path, what, _WRITE, body={"body": cut(body, MOST_COMMENT_BYTES)}).data
    return understood(comment_from, data, what)


def reply_in_thread(connection: Connection, repository: str, number: int, comment_id: int, body: str) -> CommentFacts:
    """Reply in a review thread; search for the reply before a retry, as for `create_comment`."""
    path = f"/repos/{repository}/pulls/{number}/comments/{comment_id}/replies"
    what = "reply in a thread"
    data = connection.send("POST", path, what, _WRITE, body={"body": cut(body, MOST_COMMENT_BYTES)}).data
    return understood(comment_from, data, what)


def edit_comment(connection: Connection, repository: str, comment_id: int, body: str) -> CommentFacts:
    """Edit an issue comment."""
    path = f"/repos/{repository}/issues/comments/{comment_id}"
    what = "edit a comment"
    data = connection.send("PATCH", path, what, _WRITE, body={"body": cut(body, MOST_COMMENT_BYTES)}).data
    return understood(comment_from, data, what)


def edit_review_comment(connection: Connection, repository: str, comment_id: int, body: str) -> CommentFacts:
    """Edit a comment on a line."""
    what = "edit a review comment"
    path = f"/repos/{repository}/pulls/comments/{comment_id}"
    data = connection.send("PATCH", path, what, _WRITE, body={"body": cut(body, MOST_COMMENT_BYTES)}).data
    return understood(comment_from, data, what)


def react(connection: Connection, repository: str, comment: CommentFacts, emoji: str) -> None:
    """Add one of `REACTIONS` to a comment of either kind; it is idempotent."""
    if emoji not in REACTIONS:
        raise ValueError(f"not a reaction: {emoji!r}")
    kind = "issues" if comment.path is None else "pulls"
    path = f"/repos/{repository}/{kind}/comments/{comment.id}/reactions"
    connection.send("POST", path, "react to a comment", _WRITE, body={"content": emoji}, is_repeatable=True)


def minimise(connection: Connection, node_id: str, why: str = "OUTDATED") -> None:
    """Minimize a comment with one of `CLASSIFIERS` as its reason."""
    if why not in CLASSIFIERS:
        raise ValueError(f"not a classifier: {why!r}")
    connection.graphql(_MINIMISE, {"id": node_id, "why": why}, "fold a comment", _WRITE)
