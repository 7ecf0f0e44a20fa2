"""Admission: move requests for validation into the queue, as many as this worker has free slots."""

from __future__ import annotations

from datetime import datetime, timedelta
from fnmatch import fnmatch

from assay.github_app.runtime.context import Context, validation_job
from assay.github_app.runtime.queues import Queue
from assay.github_app.server.pace import Poller
from assay.github_app.store import EventKind, RequestRow

STALE = timedelta(seconds=60)
"""Age after which an admitted request is checked again: its job may not have been enqueued, or may be lost."""


class Admission(Poller):
    """Thread that admits requests. Every job that waits in the queue counts for this worker."""

    def __init__(self, context: Context, executor: str, *, every_s: float, stale: timedelta = STALE) -> None:
        super().__init__("admission", every_s)
        self._context = context
        self._executor = executor
        self._stale = stale

    def once(self) -> int:
        """Admit what fits; return the number of admitted requests. Raises `StoreUnavailable`."""
        context, at = self._context, self._context.clock()
        requests = context.store.requests
        if not requests.are_waiting(at, self._stale):
            return 0
        for row in requests.stale(at, self._stale):
            self._enqueue(row)
        self._hold_back(at)
        num_free = context.settings.parallel_runs - context.queues.num_claimed(Queue.validation, self._executor)
        admitted = requests.admit(num_free, at, self._weight)
        for row in admitted:
            self._enqueue(row)
        return len(admitted)

    def _hold_back(self, at: datetime) -> None:
        """Let the heads of an installation wait whose requests to GitHub are nearly used up; those of users do not."""
        store = self._context.store
        for installation_id, until in self._context.github.low_until().items():
            for row in store.requests.postpone(installation_id, at, until):
                run = store.runs.get(row.run_id)
                if run is not None:
                    data = {"run": run.id, "until": until.isoformat(), "why": "GitHub's limit of requests"}
                    store.events.append(
                        EventKind.validation_delayed, run.id, at, run.repository_id, run.number, data=data
                    )

    def _enqueue(self, row: RequestRow) -> None:
        """Enqueue the job of a request; end the request if that job ended already."""
        job = validation_job(row)
        self._context.queues.put(job)
        state = self._context.queues.state(job.id)
        if state is not None and state.is_ended:
            self._context.store.requests.end_job(job.id)

    def _weight(self, full_name: str) -> float:
        weights = self._context.settings.repository_weights
        return next((one.weight for one in weights if fnmatch(full_name.lower(), one.pattern.lower())), 1.0)
