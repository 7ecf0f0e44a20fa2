"""Installations: validate the open pull requests of added repositories without waiting for the sweep."""

from __future__ import annotations

from assay.github.events.model import InstallationEvent
from assay.github_app.maintenance.sweep import open_pulls_job
from assay.github_app.runtime.context import Context

_BRINGS_REPOSITORIES = frozenset({"created", "added", "unsuspend"})


def on_installation(event: InstallationEvent, context: Context) -> None:
    """Enqueue the open pull requests of added repositories; the change itself is already recorded."""
    if event.about.action in _BRINGS_REPOSITORIES:
        for repository in event.repositories_added:
            context.queues.put(open_pulls_job(repository.id, event.about.delivery_id))
