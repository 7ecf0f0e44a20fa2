"""Permissions of accounts in a repository."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from assay.github.client.connection import RepositoryClient, quoted


class Permission(StrEnum):
    """Permission of an account, ordered: none < read < triage < write < maintain < admin."""

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


class People(RepositoryClient):
    """Permissions of accounts."""

    def permission_of(self, login: str) -> Permission:
        """Return the permission of an account; `none` if it has no access."""
        path = f"{self._path}/collaborators/{quoted(login)}/permission"
        data = self._connection.find(path, "read a person's permission", "metadata: read")
        return _permission(data) if isinstance(data, dict) else Permission.none


def _permission(data: dict[str, Any]) -> Permission:
    """Return the permission by `role_name`, which includes triage and maintain; a custom role counts as its base."""
    role, legacy = str(data.get("role_name", "")), str(data.get("permission", "none"))
    if role in ("triage", "maintain"):
        return Permission(role)
    return Permission(legacy) if legacy in tuple(Permission) else Permission.none
