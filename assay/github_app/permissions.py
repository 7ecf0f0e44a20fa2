"""What the App asks GitHub for, in one place: registration asks for it, the doctor compares, tokens are cut to it.

Names and levels are those of GitHub's "Permissions required for GitHub Apps".
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PERMISSIONS: Mapping[str, str] = MappingProxyType(
    {
        "metadata": "read",
        # The code that is judged, and the settings on its base.
        "contents": "read",
        # The Check Run with the report.
        "checks": "write",
        # The risk label, the one comment, the review with findings on lines, reactions.
        "pull_requests": "write",
        # What the repository's own checks say, as statuses and as workflow runs.
        "statuses": "read",
        "actions": "read",
        # To hear of groups in the merge queue.
        "merge_queues": "read",
    }
)
"""What an installation grants. Code scanning's `security_events: write` comes on top only where SARIF is uploaded, and
`contents: write` only where the App keeps rules in AGENTS.md (`ASSAY_AGENTS_MD`).
"""

FOR_CHECKOUT: Mapping[str, str] = MappingProxyType({"metadata": "read", "contents": "read"})
"""All that the token may do with which commits are fetched: it is the one that is given to git."""

FOR_READING: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("metadata", "contents", "checks", "pull_requests", "statuses", "actions"), "read")
)
"""For looking things up: nothing can be written with it."""

FOR_PUBLISHING: Mapping[str, str] = MappingProxyType(
    {"metadata": "read", "checks": "write", "pull_requests": "write", "statuses": "read", "actions": "read"}
)
"""For publishing alone: no code can be read with it."""

FOR_PROPOSING: Mapping[str, str] = MappingProxyType({"metadata": "read", "contents": "write", "pull_requests": "write"})
"""For a pull request of the App's own with a change to AGENTS.md: the only token that can write code."""

FOR_SARIF: Mapping[str, str] = MappingProxyType({"metadata": "read", "security_events": "write"})

EVENTS: tuple[str, ...] = (
    "check_run",
    "check_suite",
    "issue_comment",
    "merge_group",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "pull_request_review_thread",
    "push",
    "status",
    "workflow_run",
)
"""What is subscribed to. `installation`, `installation_repositories` and `ping` come unasked."""
