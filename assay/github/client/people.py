"""What somebody may do in a repository."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from assay.github.client.connection import Connection, quoted


class Permission(StrEnum):
    """A person's rights, ordered: none < read < triage < write < maintain < admin."""

    none = "none"
    read = "read"
    triage = "triage"
    write = "write"
    maintain = "maintain"
    admin = "admin"

    @property
    def rank(self) -> int:
        return tuple(Permission).index(self)

    def at_least(self, other: Permission) -> bool:
        return self.rank >= other.rank


def permission_of(connection: Connection, repository: str, login: str) -> Permission:
    """The rights of an account; `none` for one GitHub does not know there."""
    path = f"/repos/{repository}/collaborators/{quoted(login)}/permission"
    data = connection.find(path, "read a person's permission", "metadata: read")
    return _permission(data) if isinstance(data, dict) else Permission.none


def _permission(data: dict[str, Any]) -> Permission:
    """`role_name` tells triage and maintain apart; a role an organisation made up counts as what it is based on."""
    role, legacy = str(data.get("role_name", "")), str(data.get("permission", "none"))
    if role in ("triage", "maintain"):
        return Permission(role)
    return Permission(legacy) if legacy in tuple(Permission) else Permission.none
