"""Viewer of a page, and the repositories they may read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.github.authority import Act, refusal
from assay.github.client import Permission
from assay.github_app.store import RepositoryRow, Store


@dataclass(frozen=True, slots=True)
class Viewer:
    """User signed in with GitHub (`login`, and permissions by repository), or the operator, who sees all.

    Unreadable repositories do not exist for a viewer: pages return 404.
    """

    login: str | None
    permissions: Mapping[int, Permission] | None

    @property
    def is_operator(self) -> bool:
        """Whether the viewer signed in with the operator's login link."""
        return self.permissions is None

    @property
    def name(self) -> str:
        """Name on pages and in the log of decisions."""
        return self.login or "the operator"

    def may_decide(self, repository_id: int) -> bool:
        """Return whether the viewer may accept, reject and purge rules, which requires maintain permission."""
        if self.permissions is None:
            return True
        return refusal(Act.rule_accept, self.permissions.get(repository_id, Permission.none)) is None

    def repositories(self, store: Store) -> tuple[RepositoryRow, ...]:
        """Return the readable repositories by name."""
        return store.listings.repositories(None if self.permissions is None else tuple(self.permissions))


OPERATOR = Viewer(None, None)
"""Viewer with a login link created on this machine."""
