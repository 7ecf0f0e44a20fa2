"""Durable job queues; jobs are stored in a database before they run.

There are five queues. `deliveries` and `publishing` run the jobs of one pull request in order, one at a time over all
workers; `learning` does so per repository. `validation` has as many jobs as the workers have free slots; others wait in
the store (`store/runs/requests.py`). A job's id names its work: enqueued twice, it runs once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from dbos import DBOS, DBOSClient, DBOSPortableJSONSerializer, EnqueueOptions
from sqlalchemy.exc import SQLAlchemyError

from assay.github.errors import StoreUnavailable
from assay.github_app.store.database.database import Database

APPLICATION = "assay"
JOBS_VERSION = "1"
"""Version of the jobs' arguments; workers take only jobs of the same version. Raise it when arguments change their
meaning, and let the old workers finish first. DBOS's default, a hash of the source, would strand jobs at each
release."""

MOST_DELETED = 500
"""Maximum finished jobs deleted per transaction."""

Argument = str | int | None


class Queue(StrEnum):
    """Name of a queue."""

    deliveries = "deliveries"
    validation = "validation"
    publishing = "publishing"
    learning = "learning"
    chores = "chores"


class JobState(StrEnum):
    """State of a job; the values are DBOS's."""

    delayed = "DELAYED"
    waiting = "ENQUEUED"
    running = "PENDING"
    done = "SUCCESS"
    failed = "ERROR"
    cancelled = "CANCELLED"
    poison = "MAX_RECOVERY_ATTEMPTS_EXCEEDED"

    @property
    def is_ended(self) -> bool:
        return self not in (JobState.delayed, JobState.waiting, JobState.running)


@dataclass(frozen=True, slots=True)
class Job:
    """Job to enqueue. Jobs with the same `partition`, such as a pull request, run in order."""

    name: str
    id: str
    queue: Queue
    arguments: tuple[Argument, ...]
    partition: str | None = None
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class JobRow:
    """Stored job; `attempts` counts how often a worker started it."""

    id: str
    name: str
    queue: str | None
    state: JobState
    executor: str | None
    attempts: int


class Queues:
    """Client of the queues: enqueue and inspect jobs; workers execute them. Thread-safe. `put` calls `on_put`."""

    def __init__(self, url: str) -> None:
        """Open the jobs' database and create its tables. Raises `StoreUnavailable`."""
        self.on_put: Callable[[], object] = int
        with _explained():
            make_ready(url)
            self._client = DBOSClient(
                system_database_url=url,
                serializer=DBOSPortableJSONSerializer(),
                application_name=APPLICATION,
                retry_connection_errors=False,
            )

    def close(self) -> None:
        """Close all connections."""
        self._client.destroy()

    def declare(
        self,
        queue: Queue,
        every_s: float,
        *,
        per_partition: int | None = None,
        per_worker: int | None = None,
        in_all: int | None = None,
    ) -> None:
        """Register a queue with its polling interval and its limits of concurrent jobs."""
        with _explained():
            self._client.register_queue(
                str(queue),
                polling_interval_sec=every_s,
                partition_concurrency=per_partition,
                worker_concurrency=per_worker,
                global_concurrency=in_all,
                on_conflict="always_update",
            )

    def put(self, job: Job) -> None:
        """Enqueue a job unless its id was ever enqueued before. Raises `StoreUnavailable`."""
        options: EnqueueOptions = {
            "workflow_name": job.name,
            "queue_name": str(job.queue),
            "workflow_id": job.id,
            "app_version": JOBS_VERSION,
            "application_name": APPLICATION,
        }
        if job.partition is not None:
            options["queue_partition_key"] = job.partition
        if job.delay_s > 0:
            options["delay_seconds"] = job.delay_s
        with _explained():
            self._client.enqueue(options, *job.arguments)
        self.on_put()

    def state(self, job_id: str) -> JobState | None:
        """Return the state of a job, or None if the id is unknown."""
        found = self._list(workflow_ids=[job_id])
        return found[0].state if found else None

    def running_at(self, executor: str) -> tuple[JobRow, ...]:
        """Return the jobs that a worker started and did not finish."""
        return self._list(executor_id=executor, status=str(JobState.running))

    def num_claimed(self, queue: Queue, executor: str) -> int:
        """Return the jobs of a queue that wait for any worker or run at this one."""
        states = [str(JobState.waiting), str(JobState.running)]
        found = self._list(queue_name=str(queue), status=states, app_version=JOBS_VERSION)
        return sum(job.state is JobState.waiting or job.executor == executor for job in found)

    def unended(self) -> tuple[JobRow, ...]:
        """Return all waiting and running jobs."""
        states = [str(state) for state in JobState if not state.is_ended]
        return self._list(status=states)

    def poisonous(self) -> tuple[JobRow, ...]:
        """Return the jobs that crashed their worker on every attempt and are no longer retried."""
        return self._list(status=str(JobState.poison))

    def discard(self, job: JobRow) -> None:
        """Delete a job in any state."""
        with _explained():
            self._client.delete_workflow(job.id)

    def purge(self, before: datetime) -> int:
        """Delete some jobs that ended before a time; return their number, 0 at the end."""
        ended = [str(state) for state in (JobState.done, JobState.failed, JobState.cancelled)]
        with _explained():
            old = self._client.list_workflows(
                completed_before=before.isoformat(),
                status=ended,
                limit=MOST_DELETED,
                load_input=False,
                load_output=False,
            )
            if old:
                self._client.delete_workflows([one.workflow_id for one in old])
        return len(old)

    def _list(
        self,
        *,
        workflow_ids: list[str] | None = None,
        status: str | list[str] | None = None,
        executor_id: str | None = None,
        queue_name: str | None = None,
        app_version: str | None = None,
    ) -> tuple[JobRow, ...]:
        with _explained():
            found = self._client.list_workflows(
                workflow_ids=workflow_ids,
                status=status,
                executor_id=executor_id,
                queue_name=queue_name,
                app_version=app_version,
                load_input=False,
                load_output=False,
            )
        return tuple(
            JobRow(
                one.workflow_id,
                one.name,
                one.queue_name,
                JobState(one.status),
                one.executor_id,
                one.recovery_attempts or 0,
            )
            for one in found
        )


def make_ready(url: str) -> None:
    """Create or migrate the tables of the jobs; switch a SQLite file to WAL."""
    database = Database(url)
    try:
        with database.read():
            pass
    finally:
        database.close()
    DBOS.migrate(url)


@contextmanager
def _explained() -> Iterator[None]:
    """Convert database errors to `StoreUnavailable`, without the statement and its values."""
    try:
        yield
    except SQLAlchemyError as error:
        lines = str(getattr(error, "orig", None) or type(error).__name__).strip().splitlines()
        raise StoreUnavailable(lines[0][:300] if lines else type(error).__name__) from None
