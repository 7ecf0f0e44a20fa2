"""Who looks at a page, and what they may know of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.github.authority import Act, refusal
from assay.github.client import Permission
from assay.github_app.store import RepositoryRow, Store


@dataclass(frozen=True, slots=True)
class Viewer:
    """A person signed in through GitHub (`login`, and their rights by repository), or the operator, who sees all.

    What a viewer may not read is not there for them: pages say 404, as for what never was.
    """

    login: str | None
    permissions: Mapping[int, Permission] | None

    @property
    def is_operator(self) -> bool:
        """Whether they came by a link of this machine's operator."""
        return self.permissions is None

    @property
    def name(self) -> str:
        """What to call them, on pages and in the log of decisions."""
        return self.login or "the operator"

    def may_read(self, repository_id: int) -> bool:
        """Whether a repository is there for them."""
        return self.permissions is None or repository_id in self.permissions

    def may_decide(self, repository_id: int) -> bool:
        """Whether they may accept, reject and purge there: it takes the right to maintain."""
        if self.permissions is None:
            return True
        return refusal(Act.rule_accept, self.permissions.get(repository_id, Permission.none)) is None

    def repositories(self, store: Store) -> tuple[RepositoryRow, ...]:
        """The repositories that are there for them, by name."""
        return store.listings.repositories(None if self.permissions is None else tuple(self.permissions))


OPERATOR = Viewer(None, None)
"""Whoever came by a link that was made on this machine."""
