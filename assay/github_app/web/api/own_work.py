"""Limits of what a job may report: the task, pull request and branch it works on.

The author of a branch writes its workflow, whose jobs could otherwise set the outcome of any task. API tokens and jobs
of trusted workflows report for the whole repository.
"""

from __future__ import annotations

import re

from assay.github.errors import ApiRefused
from assay.github_app.outcomes import ENDS, number_of
from assay.github_app.provenance.declarations import declared_in_branch
from assay.github_app.store import RepositoryRow, Store, TraceRow
from assay.github_app.web.api.caller import Caller

_BRANCH = "refs/heads/"
_PULL = re.compile(r"refs/pull/([1-9][0-9]{0,9})/(?:merge|head)")


def must_be_own(
    store: Store,
    caller: Caller,
    repository: RepositoryRow,
    task_id: str | None,
    *,
    number: int | None = None,
    branch: str | None = None,
    is_end: bool = False,
) -> None:
    """Refuse a job's report about work of others, or over a task's end that another caller reported (`is_end`).

    A task is the job's own if its pull requests and its branch are, or its branch names the task; a task without any
    of them, if jobs of the same ref reported it. A new task is its reporter's.

    Raises:
        ApiRefused: 403, or 409 for the end.
    """
    if caller.ref is None:
        return
    numbers, branches, reporter = {number}, {branch}, None
    own_numbers, own_branch = _own(store, repository.id, caller.ref)
    if task_id is not None:
        numbers |= {number_of(task_id, None, repository, "")}
        numbers |= {pull.number for pull in store.pulls.of_task(repository.id, task_id)}
        task = store.tasks.get(repository.id, task_id)
        if task is not None:
            numbers, branches, reporter = numbers | {task.number}, branches | {task.branch}, task.told_by
        if own_branch is not None and declared_in_branch(own_branch).task_id == task_id:
            branches |= {own_branch}
    is_linked = (numbers | branches) != {None}
    is_own = numbers <= {None, *own_numbers} and branches <= {None, own_branch}
    if not is_own or not (is_linked or reporter is None or _is_by(reporter, caller.ref)):
        raise _not_own(caller.ref)
    ends = store.events.of_task(repository.id, task_id) if is_end and task_id is not None else ()
    if any(one.kind in ENDS and not _is_by(str(one.data.get("told_by")), caller.ref) for one in ends):
        raise ApiRefused(409, f"the end of {task_id} was reported by another caller", code="api.ended-by-another")


def must_be_own_session(store: Store, caller: Caller, repository: RepositoryRow, row: TraceRow) -> None:
    """Refuse a job's trace of a task of others, or of a session that another caller uploaded (403)."""
    known = store.traces.get(row.id)
    if caller.ref is not None and known is not None and not _is_by(known.told_by or "", caller.ref):
        raise _not_own(caller.ref)
    must_be_own(store, caller, repository, row.task_id)


def _own(store: Store, repository_id: int, ref: str) -> tuple[frozenset[int], str | None]:
    """Return the pull requests and the branch of a job's ref; of the same branch only those that are open."""
    pull = _PULL.fullmatch(ref)
    if pull is not None:
        row = store.pulls.get(repository_id, int(pull[1]))
        return frozenset({int(pull[1])}), row.head_ref if row is not None and not row.is_fork else None
    if not ref.startswith(_BRANCH):
        return frozenset(), None
    branch = ref.removeprefix(_BRANCH)
    pulls = (row for row in store.pulls.open_in(repository_id) if row.head_ref == branch and not row.is_fork)
    return frozenset(row.number for row in pulls), branch


def _is_by(reporter: str, ref: str) -> bool:
    """Return whether a job of this ref reported, by its name (`Caller`)."""
    return reporter.startswith("workflow:") and reporter.endswith(f" ({ref})")


def _not_own(ref: str) -> ApiRefused:
    why = f"this is not work of {ref}: use an API token, or a workflow in ASSAY_TRUSTED_WORKFLOWS"
    return ApiRefused(403, why, code="api.not-own-work")
