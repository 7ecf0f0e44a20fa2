"""Dispatcher: enqueue a job for each stored delivery."""

from __future__ import annotations

import time
from collections import deque
from datetime import timedelta

from assay.github_app.ops import observability
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import Job, JobState, Queue
from assay.github_app.runtime.retries import error_line, next_attempt
from assay.github_app.server.pace import Poller
from assay.github_app.store import DeliveryRow

BATCH = 50
"""Deliveries taken per poll."""
STALE_S = 300.0
"""Seconds after which an unfinished delivery is checked again."""
RUSH_PER_S = 20
"""Deliveries per second from which this process gives its web server priority."""
IN_A_RUSH = 2
"""Deliveries taken per poll meanwhile; the rest waits for the rush to end or for another worker."""


class Rush:
    """Detector of webhook bursts during which this process gives its web server priority."""

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=RUSH_PER_S)

    def note(self) -> None:
        """Count an acknowledged delivery."""
        self._last.append(time.monotonic())

    def is_on(self) -> bool:
        """Return whether there were `RUSH_PER_S` of them within the last second."""
        return len(self._last) == RUSH_PER_S and time.monotonic() - self._last[0] < 1.0


class Dispatcher(Poller):
    """Thread that takes deliveries in order of arrival and enqueues a job for each."""

    def __init__(self, context: Context, *, every_s: float, rush: Rush | None = None) -> None:
        super().__init__("dispatcher", every_s, batch=BATCH)
        self._context = context
        self._rush = rush or Rush()

    def once(self) -> int:
        """Take at most one batch; return its size. Raises `StoreUnavailable`."""
        context, at = self._context, self._context.clock()
        limit = IN_A_RUSH if self._rush.is_on() else BATCH
        rows = context.store.deliveries.take(limit, at, STALE_S, lambda row: context.queues.put(delivery_job(row)))
        for row in rows:
            if at - row.changed_at >= timedelta(seconds=STALE_S):
                self._retry_if_ended(row)
        return len(rows)

    def _retry_if_ended(self, row: DeliveryRow) -> None:
        """Retry a delivery whose job ended without a result, or move it to the dead-letter queue."""
        context = self._context
        state = context.queues.state(delivery_job(row).id)
        if state is None or not state.is_ended:
            return
        error = RuntimeError(f"the job ended as {state} without a result")
        at = context.clock()
        retry_at = next_attempt(error, row.attempt, row.received_at, at, context.settings.max_attempts)
        if retry_at is None or state is JobState.poison:
            context.store.deliveries.park(row.id, error_line(error), at)
            observability.DEAD_LETTERED.labels("delivery").inc()
        else:
            context.store.deliveries.failed(row.id, error_line(error), retry_at, at)


def delivery_job(row: DeliveryRow) -> Job:
    """Return the job that handles a delivery, in order with others of the same pull request."""
    if row.repository is None:
        partition = f"installation {row.installation_id}"
    else:
        partition = row.repository.lower() if row.number is None else f"{row.repository.lower()}#{row.number}"
    job_id = f"delivery:{row.id}:{row.attempt}"
    return Job("handle_delivery", job_id, Queue.deliveries, (row.id, row.attempt), partition)
