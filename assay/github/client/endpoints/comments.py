"""Comments in a pull request's conversation and on its lines, and reactions to them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from assay.github.client.connection import RepositoryClient, understood
from assay.github.client.limits import MOST_COMMENT_BYTES
from assay.github.client.truncate import cut
from assay.github.events.github_json import comment_from, person_from
from assay.github.events.model import CommentFacts, Person

_READ = "pull_requests: read"
_WRITE = "pull_requests: write"


class Comments(RepositoryClient):
    """Comments and reactions."""

    def comments(self, number: int) -> tuple[CommentFacts, ...]:
        """Return the comments of the conversation, oldest first."""
        what = "read the comments"
        found = self._connection.pages(f"{self._path}/issues/{number}/comments", what, _READ)
        return tuple(understood(comment_from, one, what) for one in found)

    def review_comments(self, number: int) -> tuple[CommentFacts, ...]:
        """Return the comments on lines, oldest first."""
        what = "read the review comments"
        found = self._connection.pages(f"{self._path}/pulls/{number}/comments", what, _READ)
        return tuple(understood(comment_from, one, what) for one in found)

    def past_review_comments(self, since: datetime | None) -> Iterator[Any]:
        """Yield GitHub's JSON of review comments, newest first; callers validate it.

        With `since` (timezone-aware) only comments created or edited at or after it.
        """
        asked = {"since": since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")} if since else {}
        path = f"{self._path}/pulls/comments"
        yield from self._connection.pages(
            path, "list the review comments", "pull_requests: read", sort="created", direction="desc", **asked
        )

    def create_comment(self, number: int, body: str) -> CommentFacts:
        """Create an issue comment. It may exist after a lost response, so search for it before a retry."""
        return self._write("POST", f"{self._path}/issues/{number}/comments", "create a comment", body)

    def reply_in_thread(self, number: int, comment_id: int, body: str) -> CommentFacts:
        """Reply in a review thread; search for the reply before a retry, as for `create_comment`."""
        return self._write(
            "POST", f"{self._path}/pulls/{number}/comments/{comment_id}/replies", "reply in a thread", body
        )

    def edit_comment(self, comment_id: int, body: str) -> CommentFacts:
        """Edit an issue comment."""
        return self._write("PATCH", f"{self._path}/issues/comments/{comment_id}", "edit a comment", body)

    def edit_review_comment(self, comment_id: int, body: str) -> CommentFacts:
        """Edit a comment on a line."""
        return self._write("PATCH", f"{self._path}/pulls/comments/{comment_id}", "edit a review comment", body)

    def react(self, comment: CommentFacts, emoji: str) -> None:
        """Add a reaction (`+1`, `eyes`, `confused` and so on) to a comment of either kind; it is idempotent."""
        kind = "issues" if comment.path is None else "pulls"
        path = f"{self._path}/{kind}/comments/{comment.id}/reactions"
        self._connection.send("POST", path, "react to a comment", _WRITE, body={"content": emoji}, is_repeatable=True)

    def reactions(self, comment: CommentFacts, emoji: str) -> tuple[Person, ...]:
        """Return who reacted to a comment of either kind with this emoji."""
        kind, what = "issues" if comment.path is None else "pulls", "read the reactions to a comment"
        path = f"{self._path}/{kind}/comments/{comment.id}/reactions"
        found = self._connection.pages(path, what, _READ, content=emoji)
        people = (one.get("user") for one in found if isinstance(one, dict))
        return tuple(understood(person_from, one, what) for one in people if isinstance(one, dict))

    def _write(self, method: str, path: str, what: str, body: str) -> CommentFacts:
        wanted = {"body": cut(body, MOST_COMMENT_BYTES)}
        data = self._connection.send(method, path, what, _WRITE, body=wanted, is_content=method == "POST").data
        return understood(comment_from, data, what)
