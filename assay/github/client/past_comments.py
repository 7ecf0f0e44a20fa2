"""Every comment on a line that a repository's list still has, the newest first, as GitHub sends them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from assay.github.client.connection import Connection


def past_review_comments(connection: Connection, full_name: str, since: datetime | None) -> Iterator[Any]:
    """What is in the list, unread: whoever takes it decides what a comment must hold.

    With `since` (aware) only what was made or changed at or after it.
    """
    asked = {"since": since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")} if since else {}
    path = f"/repos/{full_name}/pulls/comments"
    yield from connection.pages(
        path, "list the review comments", "pull_requests: read", sort="created", direction="desc", **asked
    )
