"""List of all review comments of a repository."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from assay.github.client.connection import Connection


def past_review_comments(connection: Connection, full_name: str, since: datetime | None) -> Iterator[Any]:
    """Yield GitHub's JSON of review comments, newest first; callers validate it.

    With `since` (timezone-aware) only comments created or edited at or after it.
    """
    asked = {"since": since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")} if since else {}
    path = f"/repos/{full_name}/pulls/comments"
    yield from connection.pages(
        path, "list the review comments", "pull_requests: read", sort="created", direction="desc", **asked
    )
