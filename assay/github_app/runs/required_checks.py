"""Names of the checks that a branch requires, kept for some minutes with what is published."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from assay.github.client import Repo
from assay.github_app.store import PublishedRow

KEY = "required"
MOST_AGE = timedelta(minutes=10)
"""How old the names of branch protection may be. GitHub itself waits for a check that was required since."""


class RequiredChecks:
    """Required checks of one head. GitHub limits requests, and a head is refreshed several times within minutes."""

    def __init__(self, branch: str, published: PublishedRow | None, at: datetime) -> None:
        """Take the names that were kept with the head's last publication, if it has one."""
        self._branch, self._at = branch, at
        kept = None if published is None else published.extra.get(KEY)
        self._names: Mapping[str, Any] | None = None
        if kept is not None and kept["branch"] == branch and at - datetime.fromisoformat(kept["at"]) < MOST_AGE:
            self._names = kept

    def names(self, repo: Repo, by_rules: frozenset[str] | None) -> frozenset[str]:
        """Return the names; `by_rules` are those of the rule sets, where they were read just now."""
        if self._names is None:
            names = sorted(repo.required_checks(self._branch, by_rules))
            self._names = {"branch": self._branch, "at": self._at.isoformat(), "names": names}
        return frozenset((*self._names["names"], *(by_rules or ())))

    @property
    def kept(self) -> Mapping[str, Any]:
        """What to keep with the publication."""
        return {} if self._names is None else {KEY: self._names}
