"""State of the branches of ended tasks, which may hold partial work; read from GitHub and stored with the task."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from datetime import timedelta

from assay.github.client import Repo
from assay.github.errors import GithubRefused
from assay.github_app.ops.permissions import FOR_CHECKOUT
from assay.github_app.outcomes import evaluate_task, partial_work
from assay.github_app.runtime.context import Context
from assay.github_app.store import BranchState, TaskRow

LOOKED_UP_WITHIN = timedelta(days=1)
"""Time after a task's last report within which a refused look-up is repeated."""
MOST_BRANCHES = 50
"""Maximum branches read per turn."""
# A harness reports the name, and an address is made of it. Stricter than git, whose names no address would change.
_NAME = re.compile(
    r"(?!.*(?:\.\.|//|/\.|\.lock(?:/|\Z)))[^\s~^:?*\[\\\x00-\x1f\x7f./-][^\s~^:?*\[\\\x00-\x1f\x7f]{0,249}(?<![/.])"
)
_log = logging.getLogger(__name__)


def branches_due(context: Context, _turn: int) -> int:
    """Read the branches of tasks that ended; return the number of updated tasks."""
    given = {row.id for row in context.store.repositories.active()}
    ended = context.store.tasks.without_branch_state(context.clock() - LOOKED_UP_WITHIN)
    branches = dict.fromkeys((task.repository_id, task.branch) for task in ended if task.repository_id in given)
    return sum(follow_branch(context, *branch) for branch in list(branches)[:MOST_BRANCHES])


def follow_branch(context: Context, repository_id: int, branch: str | None) -> int:
    """Store the state of a branch with the ended tasks that name it; return their number.

    Only tasks with other partial work than before are evaluated again: a push leaves most as they are.

    Raises GithubUnavailable and RateLimited; a refusal is logged.
    """
    tasks = context.store.tasks.ended_on(repository_id, branch) if branch else ()
    if not tasks:
        return 0
    try:
        with context.repo(repository_id, FOR_CHECKOUT) as repo:
            states = _states(context, repo, tasks)
    except GithubRefused as refused:
        _log.info("branch %s of repository %s was not read: %s", branch, repository_id, refused)
        return 0
    for task, state in zip(tasks, states, strict=True):
        known = task.branch_state
        if known == state:
            continue
        context.store.tasks.set_branch_state(repository_id, task.id, state)
        if known is None or partial_work(known) != partial_work(state):
            evaluate_task(context.store, repository_id, task.id, context.clock())
    return len(tasks)


def _states(context: Context, repo: Repo, tasks: Sequence[TaskRow]) -> list[BranchState]:
    """Return the state of the branch that these tasks share, for each of them: their bases may differ."""
    store, repository_id, branch = context.store, tasks[0].repository_id, tasks[0].branch or ""
    row, _ = context.given(repository_id)
    head_sha = repo.tip_of(branch) if _NAME.fullmatch(branch) else None
    from_here = (one for one in store.pulls.open_in(repository_id) if not one.is_fork and one.head_ref == branch)
    open_pull = next((one.number for one in from_here), None)
    ahead: dict[str, int | None] = {}
    states: list[BranchState] = []
    for task in tasks:
        pull = store.pulls.get(repository_id, task.number) if task.number is not None else None
        base = pull.base_ref if pull is not None else row.default_branch
        if pull is not None and pull.is_fork:
            number = pull.number if pull.state == "open" else None
            states.append(_state(branch, None, pull.head_sha, base, None, number))
            continue
        if head_sha is not None and base and base not in ahead:
            ahead[base] = repo.num_ahead(base, head_sha)
        states.append(_state(branch, head_sha is not None, head_sha, base, ahead.get(base or ""), open_pull))
    return states


def _state(
    name: str, exists: bool | None, head_sha: str | None, base: str | None, num_ahead: int | None, open_pull: int | None
) -> BranchState:
    return {
        "name": name,
        "exists": exists,
        "head_sha": head_sha,
        "base": base or None,
        "num_ahead": num_ahead,
        "open_pull": open_pull,
    }
