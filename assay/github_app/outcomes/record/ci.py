"""Results of the repository's own CI for a head."""

from __future__ import annotations

from datetime import datetime

from assay.github.events.model import CheckRunEvent, StatusEvent
from assay.github_app.store import EventKind, Store


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
