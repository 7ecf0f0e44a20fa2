"""Required checks of branches, and files at a revision."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from assay.github.client.connection import Connection, quoted
from assay.github.client.limits import MOST_FILE_BYTES
from assay.github.errors import GithubRefused
from assay.validators import is_commit_id

T = TypeVar("T")


def required_checks(connection: Connection, repository: str, branch: str) -> frozenset[str]:
    """Return the names of checks required to merge into a branch, by rule sets or branch protection.

    What may not be read there counts as nothing: rule sets of private repositories belong to paid plans, and branches
    take `contents: read`, which a token that only publishes does not have.
    """
    name = quoted(branch)
    what = "read the branch's rules"
    rules = f"/repos/{repository}/rules/branches/{name}"
    found = set(_by_rules(_if_readable(lambda: list(connection.pages(rules, what, "metadata: read"))) or []))
    path = f"/repos/{repository}/branches/{name}"
    return frozenset(found | set(_by_protection(_if_readable(lambda: connection.get(path, what, "contents: read")))))


def file(connection: Connection, repository: str, path: str, ref: str) -> bytes | None:
    """Return a file at a revision; None if it is missing, not a plain file, or larger than 1 MB."""
    parts = "/".join(quoted(part) for part in path.split("/"))
    data = connection.find(f"/repos/{repository}/contents/{parts}", "read a file", "contents: read", ref=ref)
    if not isinstance(data, dict) or data.get("type") != "file" or data.get("encoding") != "base64":
        return None
    try:
        content = base64.b64decode("".join(str(data.get("content", "")).split()), validate=True)
    except binascii.Error:
        return None
    return content if len(content) <= MOST_FILE_BYTES else None


def commit_of(connection: Connection, repository: str, revision: str) -> str | None:
    """Return the commit id of a branch, tag or abbreviated id; None if it does not exist."""
    path = f"/repos/{repository}/commits/{quoted(revision)}"
    try:
        data = connection.find(path, "look up a revision", "contents: read")
    except GithubRefused as refused:
        if refused.status not in (409, 422):  # no commit by that name; an empty repository
            raise
        return None
    sha = data.get("sha") if isinstance(data, dict) else None
    return sha if isinstance(sha, str) and is_commit_id(sha) else None


def _if_readable(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except GithubRefused as refused:
        if refused.status not in (403, 404):
            raise
        return None


def _by_rules(rules: list[Any]) -> Iterator[str]:
    for rule in rules:
        if isinstance(rule, dict) and rule.get("type") == "required_status_checks":
            listed = (rule.get("parameters") or {}).get("required_status_checks") or ()
            yield from (str(one["context"]) for one in listed if isinstance(one, dict) and "context" in one)


def _by_protection(branch: Any) -> Iterator[str]:
    protection = branch.get("protection") if isinstance(branch, dict) else None
    required = protection.get("required_status_checks") if isinstance(protection, dict) else None
    if isinstance(required, dict):
        yield from (str(name) for name in required.get("contexts") or ())
