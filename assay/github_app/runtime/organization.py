"""Configuration that a repository inherits, read with the App's tokens and kept for some minutes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from assay.github.client import Repo
from assay.github.pull_request.organization import Reading, inherited, read_configuration
from assay.github_app.ops.permissions import FOR_CHECKOUT
from assay.validators import Inherited

if TYPE_CHECKING:
    from assay.github_app.runtime.context import Context

KEPT_S = 120
"""Seconds a file is used before it is read again."""
MOST_KEPT = 1_000
Inherit: TypeAlias = Callable[[str | None], Inherited]
"""Returns what a repository inherits, by the value of its `extends`."""


class KeptReadings:
    """Files as last read, by repository. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[Reading, datetime]] = OrderedDict()

    def get(self, full_name: str, at: datetime) -> Reading | None:
        """Return a reading that is recent enough."""
        with self._lock:
            reading, read_at = self._kept.get(full_name.lower(), (None, at))
        return reading if at - read_at < timedelta(seconds=KEPT_S) else None

    def put(self, full_name: str, reading: Reading, at: datetime) -> None:
        """Keep a reading; the oldest is dropped first."""
        with self._lock:
            self._kept[full_name.lower()] = (reading, at)
            self._kept.move_to_end(full_name.lower())
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)

    def drop(self, full_name: str) -> None:
        """Forget the reading of a repository that was pushed to."""
        with self._lock:
            self._kept.pop(full_name.lower(), None)


def inheriting(context: Context, repository_id: int) -> Inherit:
    """Return the function that reads what a repository inherits.

    It raises what `read_configuration` raises, and `GithubRefused` (404) where the App has no access to the repository.
    """

    def inherit(extends: str | None) -> Inherited:
        row, _ = context.given(repository_id)
        read = partial(_read, context, repository_id)
        return inherited(row.full_name, extends, read, is_private=lambda: row.is_private)

    return inherit


def _read(context: Context, repository_id: int, full_name: str) -> Reading:
    reading = context.readings.get(full_name, context.clock())
    if reading is None:
        at = context.clock()
        reading = read_configuration(full_name, partial(_opened, context, repository_id))
        context.readings.put(full_name, reading, at)
    return reading


def _opened(context: Context, repository_id: int, full_name: str) -> Repo:
    """Open a repository with its own token if the App is installed there, else with one that reads public ones."""
    row = context.store.repositories.named(full_name)
    if row is not None and row.is_given:
        return context.repo(row.id, FOR_CHECKOUT)
    _, installation_id = context.given(repository_id)
    return context.github.public_repository(installation_id, repository_id, full_name, permissions=FOR_CHECKOUT)
