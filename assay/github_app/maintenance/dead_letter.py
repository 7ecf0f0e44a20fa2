"""Dead-letter queue: deliveries and runs that failed for good until an operator retries them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from assay.github_app.runtime.context import Context
from assay.github_app.store import RunRow, RunState, Store


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """Entry of the queue. `kind` is `delivery` or `run`; `why` contains untrusted text."""

    kind: str
    id: str
    about: str
    why: str
    at: datetime


def dead_letters(store: Store, limit: int = 100) -> tuple[DeadLetter, ...]:
    """Return the entries, newest first."""
    deliveries = [
        DeadLetter("delivery", row.id, f"{row.event} of {row.repository or 'the App'}", row.error or "", row.changed_at)
        for row in store.deliveries.parked(limit)
    ]
    runs = [
        DeadLetter("run", run.id, f"{run.repository_id}#{run.number} at {run.head_sha[:12]}", _why(run), run.changed_at)
        for run in store.runs.parked(limit)
    ]
    return tuple(sorted([*deliveries, *runs], key=lambda one: one.at, reverse=True)[:limit])


def _why(run: RunRow) -> str:
    return f"{run.error or ''} · incident {run.incident}" if run.incident else run.error or ""


def release(context: Context, parked_id: str) -> bool:
    """Retry an entry; return False if the id is not in the queue."""
    if context.store.deliveries.release(parked_id, context.clock()):
        return True
    run = context.store.runs.get(parked_id)
    if run is None or run.number is None or run.state is not RunState.failed:
        return False
    newest = context.store.runs.of_head(run.repository_id, run.number, run.head_sha)
    if newest is None or newest.id != run.id:
        return False
    context.ask_validation(run.repository_id, run.number, run.head_sha, "released", request_key=f"release:{run.id}")
    return True
