"""Names of the checks that a branch requires, kept for all pull requests of the repository."""

from __future__ import annotations

from datetime import timedelta

from assay.github.client import Repo
from assay.github_app.runtime.context import Context

MOST_AGE = timedelta(hours=1)
"""How old the names of branch protection may be where the head has all of them. GitHub limits requests, and does not
merge itself while a check is missing that was required since."""
MOST_AGE_TO_WAIT = timedelta(minutes=10)
"""How old they may be where the verdict waits for one of them: it may not be required any more."""


def required_checks(
    context: Context,
    repository_id: int,
    repo: Repo,
    branch: str,
    by_rules: frozenset[str] | None,
    most_age: timedelta,
) -> frozenset[str]:
    """Return the names; `by_rules` are those of the rule sets, where they were read just now.

    Only the names of branch protection are kept, if they may be read.
    """
    at, repositories = context.clock(), context.store.repositories
    names = repositories.required_checks(repository_id, branch, at - most_age)
    if names is None:
        names = repo.checks_by_protection(branch)
        if names is not None:
            repositories.keep_required_checks(repository_id, branch, names, at, at - MOST_AGE)
    return (names or frozenset()) | (repo.checks_by_rules(branch) if by_rules is None else by_rules)
