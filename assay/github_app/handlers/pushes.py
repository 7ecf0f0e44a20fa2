"""Pushes: validate open pull requests again when a push changes their base's configuration.

A verdict under an older configuration must not stand, whether that was laxer or impossible to pass.
"""

from __future__ import annotations

from assay.github.client import Repo
from assay.github.events.model import PushEvent
from assay.github_app.learning.repository_settings import configuration_on
from assay.github_app.permissions import FOR_CHECKOUT
from assay.github_app.runtime.context import Context
from assay.validators import CONFIGURATION_FILES, ConfigurationError, ValidationConfig

MOST_PUSHED = 2048
"""Maximum commits in a push payload: "The array includes a maximum of 2048 commits"."""
_BRANCH = "refs/heads/"


def on_push(event: PushEvent, context: Context) -> None:
    """Validate again what stands against a branch whose effective configuration has changed."""
    repository, branch = event.about.repository, event.ref.removeprefix(_BRANCH)
    if repository is None or not event.ref.startswith(_BRANCH) or not event.after.strip("0"):
        return
    pulls = [row for row in context.store.pulls.open_in(repository.id, branch) if not row.is_paused]
    if not pulls or not _may_touch(event):
        return
    with context.repo(repository.id, FOR_CHECKOUT) as repo:
        if _in_force(repo, event.before) == _in_force(repo, event.after):
            return
    for row in pulls:
        place = (row.repository_id, row.number)
        context.cancel_runs(*place, f"the configuration of {branch} has changed")
        key = f"configuration:{event.about.delivery_id}:{row.number}"
        context.ask_validation(*place, row.head_sha, "configuration", request_key=key, is_again=True)


def _may_touch(event: PushEvent) -> bool:
    """Return whether a configuration file may have changed; forced pushes do not list removed commits."""
    if not event.commits or len(event.commits) >= MOST_PUSHED:
        return True
    return any(path in CONFIGURATION_FILES for commit in event.commits for path in commit.paths)


def _in_force(repo: Repo, commit: str) -> ValidationConfig | tuple[str, ...]:
    """Return the configuration at a commit, or its problems."""
    try:
        return configuration_on(repo, commit)
    except ConfigurationError as error:
        return tuple(f"{problem.line}: {problem.message}" for problem in error.problems)
