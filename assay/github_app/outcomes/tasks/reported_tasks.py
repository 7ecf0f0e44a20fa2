"""Task reports of agents and their harnesses: state and events.

A report comes from the holder of a token. It affects metrics and failure analysis, grants no permission and never
changes data from GitHub.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Unpack

from assay.github.errors import ApiRefused
from assay.github_app.ops.observability import redact
from assay.github_app.outcomes.tasks.own_work import OF_A_PULL, must_be_own
from assay.github_app.provenance.declarations import submitted_at as made_at
from assay.github_app.provenance.linked_issues import distinct, issue_from
from assay.github_app.store import DeclaredBy, EventKind, RepositoryRow, Store, TaskFields, TaskRow, TaskStatus

REPORTED_KINDS = frozenset(
    (
        EventKind.task_submitted,
        EventKind.agent_started,
        EventKind.agent_progressed,
        EventKind.tool_failed,
        EventKind.pr_created,
        EventKind.task_completed,
        EventKind.task_failed,
        EventKind.task_timed_out,
    )
)
"""Kinds of log entries that a harness may add."""

_ENDS = {
    EventKind.task_completed: TaskStatus.completed,
    EventKind.task_failed: TaskStatus.failed,
    EventKind.task_timed_out: TaskStatus.timed_out,
}
_EVENT_OF = {status: kind for kind, status in _ENDS.items()}
MOST_NUMBER = 2**31 - 1


@dataclass(frozen=True, slots=True)
class ReportedEvent:
    """An event of a task. `id` distinguishes two of the same kind and time."""

    kind: EventKind
    at: datetime
    id: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


def report_task(
    store: Store,
    repository: RepositoryRow,
    task_id: str,
    by: str,
    at: datetime,
    web_url: str,
    *,
    prompt: str | None = None,
    **report: Unpack[TaskFields],
) -> TaskRow:
    """Create or update a task and return its row. Raises `ApiRefused` for contradictory values, and as `must_be_own`.

    `prompt` is the text of the version, which is named or else the text's hash.
    """
    report["number"] = number_of(task_id, report.get("pr_url"), repository, web_url)
    report["error_message"] = _without_credentials(report.get("error_message"))
    report["request"] = _without_credentials(report.get("request"))
    if report.get("issues") is not None:
        report["issues"] = _issues(report["issues"] or (), repository, web_url)
    report["told_by"] = by
    moment = report.pop("status_at", None) or at
    if report.get("status") is not None:
        report["status_at"] = moment
    with store.together():
        ended = report.get("status") or report["error_message"]
        over = _reporters_of_end(store, repository.id, task_id) if ended else ()
        must_be_own(store, repository.id, by, task_id, (report["number"], report.get("branch")), over)
        if prompt is not None:
            version = report.get("prompt_version") or version_of(prompt)
            report["prompt_version"] = version
            store.prompt_versions.put(repository.id, version, "api", {"prompt": prompt}, at)
        is_new = store.tasks.get(repository.id, task_id) is None
        if is_new and report.get("submitted_at") is None:
            report["submitted_at"] = made_at(task_id, at)
        store.tasks.put(repository.id, task_id, at, **report)
        row = _stored_task(store, repository.id, task_id)
        _log_task(store, row, report, moment, at, is_new=is_new)
        _declare(store, row, at)
        return _stored_task(store, repository.id, task_id)


def report_event(
    store: Store, repository: RepositoryRow, task_id: str, event: ReportedEvent, by: str, at: datetime, web_url: str
) -> bool:
    """Add an event of a task to the log; False if it is there already. An event that ends the task sets its status.

    Raises `ApiRefused`: 422 for a URL of another repository, and as `must_be_own`.
    """
    address = event.data.get("pr_url")
    number = number_of(task_id, address if isinstance(address, str) else None, repository, web_url)
    key = f"{repository.id}:{task_id}:{event.id or event.at.isoformat()}"
    with store.together():
        over = _reporters_of_end(store, repository.id, task_id) if event.kind in _ENDS else ()
        must_be_own(store, repository.id, by, task_id, (number,), over)
        known = store.tasks.get(repository.id, task_id)
        error = _without_credentials(event.data.get("error_message"))
        data = {**event.data, **({"error_message": error} if error is not None else {}), "told_by": by}
        place = (repository.id, number or (known.number if known else None), task_id)
        if not store.events.append(event.kind, key, event.at, *place, data):
            return False
        status = _ENDS.get(event.kind)
        store.tasks.put(
            repository.id,
            task_id,
            at,
            number=number,
            pr_url=address if isinstance(address, str) else None,
            status=status,
            status_at=event.at if status else None,
            error_message=error if status else None,
            submitted_at=event.at if event.kind is EventKind.task_submitted else None,
            told_by=by,
        )
        _declare(store, _stored_task(store, repository.id, task_id), at)
        return True


def version_of(prompt: str) -> str:
    """Return the version of a reported prompt: SHA-256 of its text, 64 hex digits."""
    return hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest()


def number_of(task_id: str, pr_url: str | None, repository: RepositoryRow, web_url: str) -> int | None:
    """Return the number of a task's pull request, by its URL or by an id `pull:NUMBER`.

    Raises `ApiRefused` (422) if the URL is not that of a pull request of this repository.
    """
    own = OF_A_PULL.fullmatch(task_id)
    numbers = {int(own[1])} if own else set()
    if pr_url is not None:
        begin = f"{web_url}/{repository.full_name}/pull/".lower()
        rest = pr_url[len(begin) :].rstrip("/")
        if not pr_url.lower().startswith(begin) or not re.fullmatch(r"[1-9][0-9]{0,9}", rest):
            raise ApiRefused(422, f"pr_url: not a pull request of {repository.full_name}")
        numbers.add(int(rest))
    if len(numbers) > 1 or any(number > MOST_NUMBER for number in numbers):
        raise ApiRefused(422, "pr_url: the task is about another pull request", code="api.other-pull-request")
    return next(iter(numbers), None)


def _reporters_of_end(store: Store, repository_id: int, task_id: str) -> list[str]:
    return [str(one.data.get("told_by")) for one in store.events.of_task(repository_id, task_id) if one.kind in _ENDS]


def _issues(given: Sequence[str], repository: RepositoryRow, web_url: str) -> tuple[str, ...]:
    found = {text: issue_from(text, repository.full_name, web_url) for text in given}
    wrong = next((place for place, text in enumerate(given) if found[text] is None), None)
    if wrong is not None:
        raise ApiRefused(422, f"issues.{wrong}: must be `#12`, `owner/name#12` or an issue's address on {web_url}")
    return distinct(issue for issue in found.values() if issue is not None)


def _stored_task(store: Store, repository_id: int, task_id: str) -> TaskRow:
    row = store.tasks.get(repository_id, task_id)
    if row is None:
        raise LookupError(f"the task {task_id!r} is missing after it was stored")
    return row


def _log_task(store: Store, row: TaskRow, report: TaskFields, moment: datetime, at: datetime, *, is_new: bool) -> None:
    place = (row.repository_id, row.number, row.id)
    data = {"told_by": report["told_by"]}
    if is_new:
        key = f"{row.repository_id}:{row.id}:first"
        store.events.append(EventKind.task_submitted, key, row.submitted_at or at, *place, data)
    status, error = report.get("status"), report.get("error_message")
    if status is not None:
        key = f"{row.repository_id}:{row.id}:{moment.isoformat()}"
        if error:
            data["error_message"] = error[:2000]
        store.events.append(_EVENT_OF[status], key, moment, *place, data)


def _declare(store: Store, task: TaskRow, at: datetime) -> None:
    """Link the pull request to its task, and copy its risk level to the task."""
    if task.number is None:
        return
    place = (task.repository_id, task.number)
    named = None if OF_A_PULL.fullmatch(task.id) else task.id
    store.pulls.declare(
        *place,
        DeclaredBy.api,
        at,
        task_id=named,
        model=task.model,
        prompt_version=task.prompt_version,
        issues=task.issues,
    )
    if task.agent is not None:
        store.pulls.set_agent(*place, task.agent, 1.0, ("reported by its harness",), at)
    run = store.runs.newest_reported(*place)
    if run is not None and run.risk_level is not None:
        store.tasks.put(task.repository_id, task.id, at, risk_level=run.risk_level)


def _without_credentials(value: object) -> str | None:
    """Return a reported text without credentials; None for another type."""
    return redact(value, is_prose=True) if isinstance(value, str) else None
