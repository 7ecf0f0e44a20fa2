"""Reviews of pull requests; Assay's is a batch of notes that never approves or blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.github.client.connection import RepositoryClient, understood
from assay.github.client.limits import MOST_COMMENT_BYTES
from assay.github.client.truncate import cut
from assay.github.errors import GithubUnavailable
from assay.github.events.github_json import review_from
from assay.github.events.model import ReviewFacts


@dataclass(frozen=True, slots=True)
class LineNote:
    """Comment on lines of the diff's head; `start_line` is set if it spans several lines.

    `body_on_last_line` replaces the body if the diff shows only the last of the lines.
    """

    path: str
    line: int
    body: str
    finding_id: str
    start_line: int | None = None
    body_on_last_line: str | None = None

    def body_on_wire(self) -> dict[str, Any]:
        """Serialize it for GitHub."""
        data: dict[str, Any] = {
            "path": self.path,
            "line": self.line,
            "side": "RIGHT",
            "body": cut(self.body, MOST_COMMENT_BYTES),
        }
        if self.start_line is not None and self.start_line < self.line:
            data |= {"start_line": self.start_line, "start_side": "RIGHT"}
        return data


class Reviews(RepositoryClient):
    """Reviews of pull requests."""

    def reviews(self, number: int) -> tuple[ReviewFacts, ...]:
        """Return all reviews, oldest first."""
        path = f"{self._path}/pulls/{number}/reviews"
        what = "read the reviews"
        return tuple(
            understood(review_from, one, what) for one in self._connection.pages(path, what, "pull_requests: read")
        )

    def create_review(self, number: int, head_sha: str, body: str, notes: Sequence[LineNote]) -> int:
        """Create a review with all its notes as a comment; return its id."""
        data = self._connection.send(
            "POST",
            f"{self._path}/pulls/{number}/reviews",
            "create the review",
            "pull_requests: write",
            is_content=True,
            body={
                "commit_id": head_sha,
                "event": "COMMENT",
                "body": cut(body, MOST_COMMENT_BYTES),
                "comments": [note.body_on_wire() for note in notes],
            },
        ).data
        review_id = data.get("id") if isinstance(data, dict) else None
        if not isinstance(review_id, int):
            raise GithubUnavailable("create the review", "the answer has no id", code="github.unreadable")
        return review_id
