"""Context of handlers and commands: store, GitHub, settings, and methods that enqueue work.

Enqueueing is idempotent and does not wait for the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Unpack

from assay.github.client import Github, Repo
from assay.github.errors import GithubRefused
from assay.github_app.ops import observability
from assay.github_app.ops.permissions import FOR_PUBLISHING
from assay.github_app.ops.settings import Settings
from assay.github_app.runtime.organization import KeptReadings
from assay.github_app.runtime.queues import Job, Queue, Queues
from assay.github_app.store import Advance, RepositoryRow, RequestRow, RunRow, RunState, Store

GATHER_S = 3.0
"""Seconds within which requests for the same refresh are merged into one."""
WHILE_WAITING = "waiting"
"""Reason of a refresh that shows progress only: it is needless once the run has its verdict."""
URGENT = frozenset({"command", "rerequested", "released"})
"""Triggers of users; their runs are validated before the other runs of the same repository."""


def now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Context:
    """Argument of every handler and command."""

    store: Store
    github: Github
    settings: Settings
    queues: Queues
    clock: Callable[[], datetime] = field(default=now)
    readings: KeptReadings = field(default_factory=KeptReadings, repr=False)

    def repo(self, repository_id: int, permissions: Mapping[str, str] = FOR_PUBLISHING) -> Repo:
        """Open a repository the App is installed on. Raises `GithubRefused` (404) where it has no access."""
        row, installation_id = self.given(repository_id)
        return self.github.repository(installation_id, repository_id, row.full_name, permissions=permissions)

    def given(self, repository_id: int) -> tuple[RepositoryRow, int]:
        """Return a repository and its installation's id. Raises `GithubRefused` (404) where the App has no access."""
        row = self.store.repositories.get(repository_id)
        if row is None or not row.is_given:
            raise GithubRefused(404, "access", f"the App has no access to repository {repository_id}")
        return row, row.installation_id or self.github.installation_of(row.full_name)

    def ask_validation(
        self,
        repository_id: int,
        number: int,
        head_sha: str,
        trigger: str,
        *,
        request_key: str | None = None,
        is_again: bool = False,
    ) -> RunRow:
        """Enqueue the validation of a head; return its run, new or existing.

        `is_again` validates a head that already has a verdict. `request_key` identifies the request (a delivery, a
        comment), so that a repeated request starts no second run.
        """
        run, _ = self.store.runs.begin(
            repository_id, number, head_sha, trigger, self.clock(), request_key=request_key, is_again=is_again
        )
        if not run.state.is_ended:
            self.request_attempt(run, 1, self.clock())
        return run

    def request_attempt(
        self, run: RunRow, attempt: int, first_at: datetime, *, delay_s: float = 0.0, key: str | None = None
    ) -> None:
        """Request an attempt to validate a run's head; it starts when its repository's turn comes.

        `first_at` is the time of the first attempt. `key` replaces the attempt in the job's id, where the first job of
        the attempt was lost.
        """
        at = self.clock()
        self.store.requests.ask(
            RequestRow(
                job_id=f"validate:{run.id}:{attempt if key is None else key}",
                run_id=run.id,
                repository_id=run.repository_id,
                place=partition_of(run),
                attempt=attempt,
                first_at=first_at,
                is_urgent=run.trigger in URGENT,
                asked_at=at,
                due_at=at + timedelta(seconds=delay_s),
            )
        )

    def ask_refresh(self, run_id: str, *, why: str = "refresh", delay_s: float = GATHER_S) -> None:
        """Enqueue a publication of the run with current data; it writes to GitHub only what changed.

        Requests within `delay_s` are merged; the publication starts after the last of them.
        """
        run = self.store.runs.get(run_id)
        if run is None:
            return
        at = self.clock()
        turn = int(at.timestamp() // delay_s) if delay_s > 0 else int(at.timestamp() * 1000)
        until = (turn + 1) * delay_s - at.timestamp() if delay_s > 0 else 0.0
        self.queues.put(publishing_job(run, f"{why}:{turn}", 1, at, delay_s=max(0.0, until)))

    def supersede_runs(self, repository_id: int, number: int, by: str) -> None:
        """Stop all unfinished runs of a pull request except of its new head `by`."""
        runs = self.store.runs.active(repository_id, number)
        self._stop([run for run in runs if run.head_sha != by], RunState.superseded, superseded_by=by)

    def cancel_runs(self, repository_id: int, number: int, reason: str, *, but: str | None = None) -> None:
        """Stop all unfinished runs of a pull request except of the request `but`; the Check Run shows `reason`.

        An event that is handled twice must not stop the run it asked for: its request gives that run again.
        """
        runs = self.store.runs.active(repository_id, number)
        self._stop([run for run in runs if but is None or run.request_key != but], RunState.cancelled, error=reason)

    def _stop(self, runs: Iterable[RunRow], state: RunState, **fields: Unpack[Advance]) -> None:
        """End runs; a running validation stops in seconds."""
        for run in runs:
            if not self.store.runs.advance(run.id, state, self.clock(), **fields):
                continue
            observability.RUNS.labels(str(state)).inc()
            self.store.requests.withdraw(run.id)
            if run.state is RunState.waiting:
                # Its job has ended, so a new one must conclude its Check Run.
                self.ask_refresh(run.id, why="cancelled", delay_s=0)


def validation_job(row: RequestRow) -> Job:
    """Return the job of an admitted request."""
    return Job("validate_head", row.job_id, Queue.validation, (row.run_id, row.attempt, int(row.first_at.timestamp())))


def publishing_job(run: RunRow, why: str, attempt: int, first_at: datetime, delay_s: float = 0.0) -> Job:
    """Return the job that publishes a run."""
    job_id = f"publish:{run.id}:{why}:{attempt}"
    arguments = (run.id, why, attempt, int(first_at.timestamp()))
    return Job("publish_run", job_id, Queue.publishing, arguments, partition_of(run), delay_s)


def partition_of(run: RunRow) -> str:
    """Return the queue partition of a run's jobs: its pull request, or its merge group."""
    return f"{run.repository_id}#{run.head_sha if run.number is None else run.number}"


def backoff(attempt: int) -> timedelta:
    """Return the wait after a failed attempt (from 1): two seconds, doubling up to ten minutes."""
    return timedelta(seconds=min(600.0, 2.0 ** min(attempt, 20)))
