"""Durable work in line: what is to be done is written down before it is begun, and survives everything but the disk.

Five queues. In `deliveries`, `validation` and `publishing` the work of one pull request is done in order, one thing at
a time, whichever worker does it, and in `learning` that of one repository; `validation` is also bounded over all
workers together. A job's id names what it does: put in line twice, it is done once.
"""

from __future__ import annotations

from collections.abc import Iterator
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
"""Written into every job; workers only take jobs of their own. Raise it when a job's arguments change their meaning,
and let the old workers finish first. The library's default, a hash of its source, would strand work at each release."""

MOST_DELETED = 500
"""Finished jobs deleted in one transaction."""

Argument = str | int | None


class Line(StrEnum):
    """The queues."""

    deliveries = "deliveries"
    validation = "validation"
    publishing = "publishing"
    learning = "learning"
    chores = "chores"


class JobState(StrEnum):
    """How a job stands; the values are the library's."""

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
    """Something to do. `partition` is what it must be in order with, such as one pull request."""

    name: str
    id: str
    line: Line
    arguments: tuple[Argument, ...]
    partition: str | None = None
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job in line, running or ended; `attempts` counts how often a worker began it."""

    id: str
    name: str
    line: str | None
    state: JobState
    executor: str | None
    attempts: int


class Queues:
    """Puts jobs in line and looks at them; does none itself. Safe to share between threads."""

    def __init__(self, url: str) -> None:
        """Open the database of the jobs, and make its tables. Raises `StoreUnavailable`."""
        with _explained():
            make_ready(url)
            self._client = DBOSClient(
                system_database_url=url,
                serializer=DBOSPortableJSONSerializer(),
                application_name=APPLICATION,
                retry_connection_errors=False,
            )

    def close(self) -> None:
        """Give all connections back."""
        self._client.destroy()

    def declare(
        self,
        line: Line,
        every_s: float,
        *,
        per_partition: int | None = None,
        per_worker: int | None = None,
        in_all: int | None = None,
    ) -> None:
        """How a queue is worked off: how often it is looked at, and how many of its jobs may run at once."""
        with _explained():
            self._client.register_queue(
                str(line),
                polling_interval_sec=every_s,
                partition_concurrency=per_partition,
                worker_concurrency=per_worker,
                global_concurrency=in_all,
                on_conflict="always_update",
            )

    def put(self, job: Job) -> None:
        """Put a job in line; nothing happens when one with this id was ever put there. Raises `StoreUnavailable`."""
        options: EnqueueOptions = {
            "workflow_name": job.name,
            "queue_name": str(job.line),
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

    def state(self, job_id: str) -> JobState | None:
        """How a job stands; None where there is none with this id."""
        found = self._list(workflow_ids=[job_id])
        return found[0].state if found else None

    def running_at(self, executor: str) -> tuple[JobRow, ...]:
        """What a worker has begun and not ended."""
        return self._list(executor_id=executor, status=str(JobState.running))

    def unended(self) -> tuple[JobRow, ...]:
        """Everything that waits or runs."""
        states = [str(state) for state in JobState if not state.is_ended]
        return self._list(status=states)

    def poisonous(self) -> tuple[JobRow, ...]:
        """Jobs that took a worker down with them each time, and are not tried again."""
        return self._list(status=str(JobState.poison))

    def discard(self, job: JobRow) -> None:
        """Forget a job, whatever became of it."""
        with _explained():
            self._client.delete_workflow(job.id)

    def purge(self, before: datetime) -> int:
        """Forget jobs that ended before; how many."""
        num_forgotten = 0
        ended = [str(state) for state in (JobState.done, JobState.failed, JobState.cancelled)]
        while True:
            with _explained():
                old = self._client.list_workflows(
                    completed_before=before.isoformat(),
                    status=ended,
                    limit=MOST_DELETED,
                    load_input=False,
                    load_output=False,
                )
                self._client.delete_workflows([one.workflow_id for one in old])
            num_forgotten += len(old)
            if len(old) < MOST_DELETED:
                return num_forgotten

    def _list(
        self,
        *,
        workflow_ids: list[str] | None = None,
        status: str | list[str] | None = None,
        executor_id: str | None = None,
    ) -> tuple[JobRow, ...]:
        with _explained():
            found = self._client.list_workflows(
                workflow_ids=workflow_ids, status=status, executor_id=executor_id, load_input=False, load_output=False
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
    """Create the tables of the jobs, or bring them up to date; a SQLite file is switched to WAL, once and for good."""
    database = Database(url)
    try:
        with database.read():
            pass
    finally:
        database.close()
    DBOS.migrate(url)


@contextmanager
def _explained() -> Iterator[None]:
    """A database that does not answer is our error, without the statement and its values."""
    try:
        yield
    except SQLAlchemyError as error:
        said = str(getattr(error, "orig", None) or type(error).__name__).strip().splitlines()
        raise StoreUnavailable(said[0][:300] if said else type(error).__name__) from None
