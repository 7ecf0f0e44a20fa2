"""Permissions and events of the App, for registration, `assay doctor` and scoped tokens.

Names and levels are those of GitHub's "Permissions required for GitHub Apps".
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PERMISSIONS: Mapping[str, str] = MappingProxyType(
    {
        "metadata": "read",
        # The change, and the configuration on its base.
        "contents": "read",
        # The Check Run with the report.
        "checks": "write",
        # The risk label, the comment, the review with findings on lines, reactions.
        "pull_requests": "write",
        # Results of the repository's own checks, as statuses and as workflow runs.
        "statuses": "read",
        "actions": "read",
        # Events of the merge queue.
        "merge_queues": "read",
    }
)
"""Permissions of an installation without optional features."""


def needed_permissions(*, sarif_upload: bool, instruction_files: bool) -> dict[str, str]:
    """Return the permissions of an installation, with those for uploading SARIF and for proposing rules.

    Only proposals and commits of tests use `contents: write`, and they are skipped without it.
    """
    uploading = {"security_events": "write"} if sarif_upload else {}
    proposing = {"contents": "write"} if instruction_files else {}
    return {**PERMISSIONS, **uploading, **proposing}


_LEVELS = ("read", "write", "admin")


def rank_of(level: object) -> int:
    """Return the position of a permission's level; -1 for none or an unknown one."""
    return _LEVELS.index(level) if isinstance(level, str) and level in _LEVELS else -1


def lacking_permissions(given: object, *, sarif_upload: bool) -> tuple[str, ...]:
    """Return what an App or installation with these permissions (GitHub's answer) lacks, as `checks: write`."""
    has = given if isinstance(given, dict) else {}
    needed = needed_permissions(sarif_upload=sarif_upload, instruction_files=False)
    return tuple(f"{name}: {level}" for name, level in needed.items() if rank_of(has.get(name)) < rank_of(level))


FOR_CHECKOUT: Mapping[str, str] = MappingProxyType({"metadata": "read", "contents": "read"})
"""Permissions of the token that git receives to fetch commits."""

FOR_READING: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("metadata", "contents", "checks", "pull_requests", "statuses", "actions"), "read")
)
"""Read-only permissions, for API requests."""

FOR_PUBLISHING: Mapping[str, str] = MappingProxyType(
    {"metadata": "read", "checks": "write", "pull_requests": "write", "statuses": "read", "actions": "read"}
)
"""Permissions to publish; they cannot read code."""

FOR_PROPOSING: Mapping[str, str] = MappingProxyType({"metadata": "read", "contents": "write", "pull_requests": "write"})
"""Permissions for the App's pull requests that change instruction files."""

FOR_TESTS: Mapping[str, str] = MappingProxyType({"metadata": "read", "contents": "write"})
"""Permissions to commit the test of a finding to a pull request's branch, when a user presses the button."""

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
"""Events to subscribe to. GitHub sends `installation`, `installation_repositories` and `ping` to every App."""
