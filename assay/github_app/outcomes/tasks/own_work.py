"""Limits of what a job may report: the tasks, pull requests and branch it works on.

The author of a branch writes its workflow, whose jobs could otherwise set the outcome of any task. The name of such a
job ends with its ref (`workflow:owner/repo@run (ref)`). API tokens and jobs of trusted workflows, whose names do not,
report for the whole repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay.github.errors import ApiRefused
from assay.github_app.provenance.declarations import declared_in_branch
from assay.github_app.store import Store

OF_A_PULL = re.compile(r"pull:([1-9][0-9]{0,9})")
"""Id of the task of a pull request."""
_PULL = re.compile(r"refs/pull/([1-9][0-9]{0,9})/(?:merge|head)")
_JOB = re.compile(r"workflow:\S+ \((.*)\)")
Link = int | str | None
"""Number of a pull request, or a branch."""


def must_be_own(
    store: Store, repository_id: int, by: str, task_id: str | None, links: Iterable[Link] = (), over: Iterable[str] = ()
) -> None:
    """Refuse a job's report about work of others (the task and `links`), or over what others reported (`over`).

    `by` and `over` are names of callers. A task is the job's own if its pull requests and its branch are. One without
    any is, if it is new, the job's branch names it, or jobs of the same ref reported it.

    Raises:
        ApiRefused: 403, or 409 for a report over that of others.
    """
    ref = _ref_of(by)
    if ref is None:
        return
    own = _own(store, repository_id, ref)
    task, named = store.tasks.get(repository_id, task_id or ""), OF_A_PULL.fullmatch(task_id or "")
    found = {None, *links, *(pull.number for pull in store.pulls.of_task(repository_id, task_id or ""))}
    found |= {int(named[1])} if named is not None else set()
    found |= {task.number, task.branch} if task is not None else set()
    is_named = any(isinstance(one, str) and declared_in_branch(one).task_id == task_id for one in own)
    is_ours = is_named or task is None or task.told_by is None or _ref_of(task.told_by) == ref
    if not found <= {None, *own} or (found == {None} and not is_ours):
        why = f"this is not work of {ref}: use an API token, or a workflow in ASSAY_TRUSTED_WORKFLOWS"
        raise ApiRefused(403, why, code="api.not-own-work")
    if any(_ref_of(name) != ref for name in over):
        raise ApiRefused(409, "another caller reported it, and this would replace it", code="api.reported-by-another")


def _ref_of(name: str) -> str | None:
    return job[1] if (job := _JOB.fullmatch(name)) else None


def _own(store: Store, repository_id: int, ref: str) -> set[int | str]:
    """Return the pull requests and the branch of a job's ref; of the same branch only those that are open."""
    pull = _PULL.fullmatch(ref)
    if pull is None:
        branch = ref.removeprefix("refs/heads/")
        pulls = (row for row in store.pulls.open_in(repository_id) if row.head_ref == branch and not row.is_fork)
        return {branch, *(row.number for row in pulls)}
    row = store.pulls.get(repository_id, int(pull[1]))
    return {int(pull[1])} if row is None or row.is_fork else {row.number, row.head_ref}
