"""Quality of hydration: the rules delivered to the author of a pull request, compared with what it changes."""

from __future__ import annotations

from collections.abc import Iterable

from assay.github_app.rule_matching.languages import language_of
from assay.github_app.store import PullHistory, RuleScope
from assay.validators import path_matcher

MOST_PATHS = 2_000
"""Maximum changed files that are matched; a larger change counts as touching every rule."""


def hydrated(history: PullHistory) -> tuple[int, int | None, int | None]:
    """Return the numbers of delivered rules, of those that apply to a changed file, and of those not repeated.

    The latter two are None if the changed files are unknown.
    """
    handed = {handout.rule_id for handout in history.handouts}
    if not handed or not history.paths:
        return len(handed), None, None
    paths = sorted(history.paths)[:MOST_PATHS]
    touching = {rule_id for rule_id in handed & history.scopes.keys() if _holds(history.scopes[rule_id], paths)}
    broken = {match.rule_id for match in history.repeats}
    return len(handed), len(touching), len(touching - broken)


def _holds(scope: RuleScope, paths: Iterable[str]) -> bool:
    inside = path_matcher(scope.paths or ("**",))
    return any(inside(path) and scope.language in (None, language_of(path)) for path in paths)
