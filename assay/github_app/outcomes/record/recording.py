"""Webhook events as stored facts and log entries, independent of their order."""

from __future__ import annotations

from datetime import datetime

from assay.github.events.model import (
    CheckRunEvent,
    Event,
    InstallationEvent,
    IssueCommentEvent,
    PullRequestEvent,
    PushEvent,
    ReviewCommentEvent,
    ReviewEvent,
    ReviewThreadEvent,
    StatusEvent,
)
from assay.github_app.outcomes.record.pull_life import DEFAULT_WEB_URL, record_pull
from assay.github_app.outcomes.record.reverts import record_push
from assay.github_app.outcomes.record.reviewing import (
    record_comment,
    record_issue_comment,
    record_review,
    record_thread,
)
from assay.github_app.store import EventKind, Store


def record(
    event: Event, store: Store, at: datetime, *, web_url: str = DEFAULT_WEB_URL, app_id: int | None = None
) -> None:
    """Record an event in one transaction; idempotent.

    `at` is when the delivery was received; GitHub's own times take precedence. `web_url` is the web address of the same
    GitHub. Checks of the App with `app_id` (Assay's own) are skipped.
    """
    with store.together():
        if event.about.repository is not None:
            store.repositories.see(event.about.repository, event.about.installation_id, at)
        _record(event, store, at, web_url, app_id)


def _record(event: Event, store: Store, at: datetime, web_url: str, app_id: int | None) -> None:
    match event:
        case PullRequestEvent():
            record_pull(event, store, at, web_url)
        case ReviewEvent():
            record_review(event, store, at, web_url)
        case ReviewCommentEvent():
            record_comment(event, store, at, web_url)
        case ReviewThreadEvent():
            record_thread(event, store, at, web_url)
        case IssueCommentEvent():
            record_issue_comment(event, store, at)
        case CheckRunEvent() | StatusEvent():
            if app_id is None or event.check.app_id != app_id:
                record_check(event, store, at)
        case PushEvent():
            record_push(event, store, at)
        case InstallationEvent():
            record_installation(event, store, at)
        case _:
            # Suites, workflow runs, merge groups and pings add nothing to the events above.
            return


def record_check(event: CheckRunEvent | StatusEvent, store: Store, at: datetime) -> None:
    """Store a check run or commit status, and log it once it has ended."""
    repository, check = event.about.repository, event.check
    if repository is None:
        return
    store.checks.put(repository.id, check, at)
    if check.status != "completed":
        return
    moment = check.completed_at or at
    number = check.pull_numbers[0] if len(check.pull_numbers) == 1 else None
    data = {
        "name": check.name,
        "source": check.source,
        "conclusion": check.conclusion,
        "head_sha": check.head_sha,
        "app": check.app_slug,
    }
    ended = check.completed_at.isoformat() if check.completed_at else ""
    key = f"{repository.id}:{check.source}:{check.external_key}:{check.head_sha}:{ended}"
    store.events.append(EventKind.check_completed, key, moment, repository.id, number, None, data)


def record_installation(event: InstallationEvent, store: Store, at: datetime) -> None:
    """Store an `installation` or `installation_repositories` event."""
    installation_id, account = event.about.installation_id, event.account
    if installation_id is None:
        return
    match event.about.action:
        case "deleted":
            store.installations.remove(installation_id, account, at)
        case "suspend":
            store.installations.suspend(installation_id, account, at)
        case "created" | "unsuspend" | "new_permissions_accepted":
            store.installations.put(installation_id, account, at)
        case _:
            pass  # adding or removing repositories does not change the installation
    for repository in event.repositories_added:
        store.repositories.put(repository, installation_id, at)
    for repository in event.repositories_removed:
        store.repositories.remove(repository, installation_id, at)
