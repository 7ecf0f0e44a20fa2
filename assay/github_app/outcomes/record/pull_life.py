"""Life of a pull request: opened, pushed to, made ready, closed; its author and its task."""

from __future__ import annotations

from datetime import datetime

from assay.github.events.model import PullFacts, PullRequestEvent, RepositoryFacts
from assay.github_app.outcomes.record.endings import record_end
from assay.github_app.outcomes.record.feedback import read_notes
from assay.github_app.provenance.authorship import guess_maker
from assay.github_app.provenance.declarations import declared_in_body, declared_in_branch, submitted_at
from assay.github_app.provenance.linked_issues import issues_in_body
from assay.github_app.store import DeclaredBy, EventKind, PullRow, Store

DEFAULT_WEB_URL = "https://github.com"
_KINDS = {
    "opened": EventKind.pr_opened,
    "reopened": EventKind.pr_reopened,
    "ready_for_review": EventKind.pr_ready_for_review,
    "converted_to_draft": EventKind.pr_converted_to_draft,
    "synchronize": EventKind.head_pushed,
}


def record_pull(event: PullRequestEvent, store: Store, at: datetime, web_url: str) -> None:
    """Store a `pull_request` event and its log entries."""
    repository, pull, action = event.about.repository, event.pull, event.about.action
    if repository is None:
        return
    see_pull(store, repository, pull, at, action=action, before=event.before, web_url=web_url)
    row = store.pulls.get(repository.id, pull.number)  # includes the declarations in its description
    if row is not None:
        read_notes(store, row, at)
    task_id = _know_task(store, repository, pull, at, web_url)
    kind = _KINDS.get(action)
    if kind is not None:
        _log(store, repository, pull, kind, at, task_id, event)
    record_end(store, repository.id, pull, at, task_id)


def see_pull(
    store: Store,
    repository: RepositoryFacts,
    pull: PullFacts,
    at: datetime,
    *,
    action: str | None = None,
    before: str | None = None,
    web_url: str = DEFAULT_WEB_URL,
) -> PullRow:
    """Store a pull request from any source: its facts, its declarations, its issues and its likely agent."""
    row = store.pulls.see(pull, repository, at, action=action, before=before)
    # Only the newest description counts: an older text must not overwrite it.
    in_body, in_branch = declared_in_body(row.body), declared_in_branch(row.head_ref)
    store.pulls.declare(
        repository.id,
        pull.number,
        DeclaredBy.body,
        at,
        task_id=in_body.task_id,
        model=in_body.model,
        prompt_version=in_body.prompt_version,
        issues=issues_in_body(row.body, repository.full_name, web_url),
    )
    store.pulls.declare(repository.id, pull.number, DeclaredBy.branch, at, task_id=in_branch.task_id)
    guess = guess_maker(pull)
    store.pulls.set_agent(repository.id, pull.number, guess.name, guess.confidence, guess.signals, at)
    return row


def task_of(pull: PullFacts) -> str | None:
    """Return the task this description names, by its text or its branch."""
    return declared_in_body(pull.body).task_id or declared_in_branch(pull.head_ref).task_id


def _know_task(store: Store, repository: RepositoryFacts, pull: PullFacts, at: datetime, web_url: str) -> str | None:
    task_id = task_of(pull)
    if task_id is not None:
        store.tasks.put(
            repository.id,
            task_id,
            at,
            number=pull.number,
            pr_url=f"{web_url}/{repository.full_name}/pull/{pull.number}",
            branch=pull.head_ref,
            submitted_at=submitted_at(task_id, at),
        )
    return task_id


def _log(
    store: Store,
    repository: RepositoryFacts,
    pull: PullFacts,
    kind: EventKind,
    at: datetime,
    task_id: str | None,
    event: PullRequestEvent,
) -> None:
    before, sender = event.before, event.about.sender
    moment = (pull.created_at if kind is EventKind.pr_opened else pull.updated_at) or at
    key = f"{repository.id}#{pull.number}"
    if kind is EventKind.head_pushed:
        key += f"@{before or ''}..{pull.head_sha}"
    elif kind is not EventKind.pr_opened:
        key += f"@{pull.head_sha}:{moment.isoformat()}"
    data = {
        "head_sha": pull.head_sha,
        "before_sha": before,
        "base_ref": pull.base_ref,
        "author": pull.author.login,
        # Uses the account that pushed or opened it, because commit authors can be forged.
        "by": sender.login if sender else None,
        "by_id": sender.id if sender else None,
        "is_draft": pull.is_draft,
        "is_fork": pull.is_fork,
    }
    store.events.append(kind, key, moment, repository.id, pull.number, task_id, data)
