"""Installations of the App, and their repositories."""

from __future__ import annotations

from datetime import datetime

from assay.github.events.model import InstallationEvent
from assay.github_app.store import Store


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
