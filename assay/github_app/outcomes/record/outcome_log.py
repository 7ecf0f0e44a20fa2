"""Log entry of an outcome."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from assay.github_app.store import EventKind, OutcomeKind, Store


def log_outcome(
    store: Store,
    repository_id: int,
    number: int,
    kind: OutcomeKind,
    head_sha: str | None,
    at: datetime,
    *,
    task_id: str | None = None,
    cause: str | None = None,
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Log that a pull request was merged, closed, abandoned, reverted or fixed, once per cause."""
    key = f"{repository_id}#{number}:{kind}:{cause or head_sha}:{'' if cause else at.isoformat()}"
    data = {"outcome": str(kind), "head_sha": head_sha, **({"cause": cause} if cause else {}), **(detail or {})}
    store.events.append(EventKind.pr_outcome_recorded, key, at, repository_id, number, task_id, data)
