"""Engine of the durable jobs (DBOS) in a worker: run and resume jobs, take over those of dead workers.

`handle_delivery`   handle a webhook
`validate_head`     validate a head
`publish_run`       publish a run on GitHub
`learn_comment`     learn from a review comment
`sweep`, `read_pulls`, `redeliver`, `recover`, `keep_block`, `tell_of_memory`, `purge`   maintenance
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from functools import partial

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer

from assay.github_app.learning.handout.instruction_files import keep_block
from assay.github_app.learning.job import LearningRuns, reader_for
from assay.github_app.maintenance.memory_alert import tell_of_memory
from assay.github_app.maintenance.missed import recover, redeliver_older
from assay.github_app.maintenance.purge import purge
from assay.github_app.maintenance.sweep import read_pulls, sweep
from assay.github_app.ops import observability
from assay.github_app.runs.steps import Publisher, RunSteps, Validator, WorkerHandle
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import APPLICATION, JOBS_VERSION, Argument, Queue
from assay.github_app.server.admission import Admission
from assay.github_app.server.idling import Idling
from assay.github_app.server.workflows import Workflows

_log = logging.getLogger(__name__)
JobBody = Callable[..., str]
POLL_S = 0.5
"""Seconds between two polls of a queue."""
WORKER_DELIVERIES = 8
"""Concurrent deliveries per worker; each takes milliseconds, and more would delay the web server."""
WORKER_PUBLICATIONS = 4
"""Concurrent publications per worker; they mostly wait for GitHub's pause of one second between two writes."""

WORKER_LESSONS = 2
"""Concurrent learning jobs per worker; they are not urgent."""


class JobEngine:
    """Engine of this process, at most one at a time; `poll_s` is the polling interval of each queue in seconds."""

    def __init__(
        self,
        context: Context,
        validator: Validator,
        publisher: Publisher,
        worker: WorkerHandle,
        *,
        poll_s: float = POLL_S,
    ) -> None:
        self._context = context
        self._worker = worker
        self._poll_s = poll_s
        runs = RunSteps(context, validator, publisher, worker)
        learning = LearningRuns(context, lambda: reader_for(context.settings))
        self._jobs = Workflows(context, runs, learning, worker, lambda name, act: DBOS.run_step({"name": name}, act))
        self._admission = Admission(context, worker.executor, every_s=poll_s / 2)
        self._dbos: DBOS | None = None
        self._active: set[str] = set()
        self._missing: dict[str, float] = {}
        self._idling: Idling | None = None

    def start(self) -> None:
        """Start; first resume the jobs this worker left unfinished."""
        config: DBOSConfig = {
            "name": APPLICATION,
            "system_database_url": self._context.settings.jobs_url(),
            "application_version": JOBS_VERSION,
            "executor_id": self._worker.executor,
            "serializer": DBOSPortableJSONSerializer(),
            # Jobs exchange no messages, but DBOS polls for them, and a stopping worker waits for that poll.
            "notification_listener_polling_interval_sec": self._poll_s,
            # No job is scheduled by DBOS.
            "scheduler_polling_interval_sec": 60.0,
            "enable_otlp": False,
            "log_level": "WARNING",
        }
        self._dbos = DBOS(config=config)
        self._register_jobs()
        self._declare_queues()
        DBOS.launch()
        self._idling = Idling(self._dbos._sys_db, lambda: self._active)  # noqa: SLF001 - see `Idling`
        self._context.queues.on_put = self._idling.wake
        self._admission.start()

    def stop(self, grace_s: float) -> None:
        """Start no more jobs; wait `grace_s` for running ones and leave the rest to the next worker."""
        late = threading.Timer(max(0.0, grace_s - 3.0), self._worker.stopping.set)
        late.daemon = True
        late.start()
        self._admission.stop()
        if self._idling is not None:
            self._idling.end()
        try:
            DBOS.destroy(workflow_completion_timeout_sec=int(grace_s), destroy_registry=True)
        finally:
            late.cancel()
            self._worker.stopping.set()
            self._dbos = None

    def take_over(self, executor: str) -> int:
        """Re-enqueue the unfinished jobs of a dead worker in their order; return their number.

        Only jobs that still name the dead worker are changed, so two workers may take over at once. The public
        `resume_workflow` has no such condition and could restart a job that another worker started meanwhile.
        """
        if self._dbos is None:
            return 0
        num_jobs = len(self._dbos._recover_pending_workflows([executor]))  # noqa: SLF001 - see above
        self._wake_for(num_jobs)
        observability.TAKEN_OVER.inc(num_jobs)
        return num_jobs

    def put_back_lost(self, after_s: float) -> int:
        """Re-enqueue jobs that this worker claimed but has not been running for `after_s`; return their number.

        A database that fails between a claim and its response leaves such jobs. They would block their partition
        forever, because no worker takes over from a live one. Raises `StoreUnavailable`.
        """
        if self._dbos is None:
            return 0
        at, claimed = time.monotonic(), self._context.queues.running_at(self._worker.executor)
        missing = {job.id: self._missing.get(job.id, at) for job in claimed if job.id not in self._active}
        due = [job for job in claimed if job.id in missing and at - missing[job.id] >= after_s]
        for job in due:
            _log.warning("re-enqueued %s: claimed by this worker but not running", job.id)
            queue = job.queue or str(Queue.chores)
            self._dbos._sys_db.reenqueue_for_recovery(job.id, [self._worker.executor], queue)  # noqa: SLF001 - as above
            del missing[job.id]
        self._missing = missing
        self._wake_for(len(due))
        return len(due)

    def _wake_for(self, num_jobs: int) -> None:
        if num_jobs and self._idling is not None:
            self._idling.wake()

    def _noted(self, body: JobBody) -> JobBody:
        """Wrap the body of a job to register it as running in this worker."""

        def run(*arguments: Argument) -> str:
            job_id = DBOS.workflow_id or ""
            self._active.add(job_id)
            try:
                return body(*arguments)
            finally:
                self._active.discard(job_id)

        return run

    def _register_jobs(self) -> None:
        jobs, context = self._jobs, self._context
        bodies: dict[str, JobBody] = {
            "handle_delivery": jobs.handle_delivery,
            "validate_head": jobs.validate_head,
            "publish_run": jobs.publish_run,
            "learn_comment": jobs.learn_comment,
            "sweep": partial(sweep, context),
            "read_pulls": partial(read_pulls, context),
            "redeliver": partial(redeliver_older, context),
            "recover": partial(recover, context),
            "keep_block": partial(keep_block, context),
            "tell_of_memory": partial(tell_of_memory, context),
            "purge": partial(purge, context),
        }
        for name, body in bodies.items():
            # A job that crashes its worker on every attempt stops after as many attempts as any other.
            DBOS.workflow(name=name, max_recovery_attempts=context.settings.max_attempts)(self._noted(body))

    def _declare_queues(self) -> None:
        """Register the queues; before the engine starts, so that it finds them at once."""
        queues, every_s = self._context.queues, self._poll_s
        # A poll takes at most WORKER_DELIVERIES, so its interval bounds how fast a burst is handled.
        queues.declare(Queue.deliveries, every_s / 2, per_partition=1, per_worker=WORKER_DELIVERIES)
        queues.declare(Queue.validation, every_s, per_worker=self._context.settings.parallel_runs)
        queues.declare(Queue.publishing, every_s, per_partition=1, per_worker=WORKER_PUBLICATIONS)
        queues.declare(Queue.learning, every_s * 4, per_partition=1, per_worker=WORKER_LESSONS)
        queues.declare(Queue.chores, every_s * 20, in_all=1)
