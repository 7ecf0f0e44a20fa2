"""What a handler has at hand: the store, GitHub, the settings, and the means to ask for work.

Asking is writing down: nothing here waits for the work, and asking twice for the same thing is asking once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from assay.github.client import Github, Repo
from assay.github.errors import GithubRefused
from assay.github_app.permissions import FOR_PUBLISHING
from assay.github_app.runtime.queues import Job, Line, Queues
from assay.github_app.settings import Settings
from assay.github_app.store import RepositoryRow, RunRow, RunState, Store

GATHER_S = 3.0
"""Events that ask for the same refresh within this time are answered by one."""


def now() -> datetime:
    """The time, aware."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Context:
    """Given to every handler and command."""

    store: Store
    github: Github
    settings: Settings
    queues: Queues
    clock: Callable[[], datetime] = field(default=now)

    def repo(self, repository_id: int, permissions: Mapping[str, str] = FOR_PUBLISHING) -> Repo:
        """The way into a repository the App was given. Raises `GithubRefused` (404) where it was not."""
        row, installation_id = self.given(repository_id)
        return self.github.repository(installation_id, repository_id, row.full_name, permissions=permissions)

    def given(self, repository_id: int) -> tuple[RepositoryRow, int]:
        """A repository the App was given, and its installation. Raises `GithubRefused` (404) where it was not."""
        row = self.store.repositories.get(repository_id)
        if row is None or not row.is_given:
            raise GithubRefused(404, "open the repository", f"repository {repository_id} was not given to the App")
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
        """Have a head judged; the run that does it, which may be one that is there already.

        `is_again` judges a head anew that has its verdict; give the `request_key` of whoever asked (a delivery, a
        comment) so that the same request never counts twice.
        """
        run, _ = self.store.runs.begin(
            repository_id, number, head_sha, trigger, self.clock(), request_key=request_key, is_again=is_again
        )
        if not run.state.is_ended:
            self.queues.put(validation_job(run, 1, self.clock()))
        return run

    def ask_refresh(self, run_id: str, *, why: str = "refresh", delay_s: float = GATHER_S) -> None:
        """Have what stands on GitHub for a run computed anew from what is known now, and changed where it differs.

        Requests that come close together are gathered: the one that is carried out begins after the last of them.
        """
        run = self.store.runs.get(run_id)
        if run is None:
            return
        at = self.clock()
        turn = int(at.timestamp() // delay_s) if delay_s > 0 else int(at.timestamp() * 1000)
        until = (turn + 1) * delay_s - at.timestamp() if delay_s > 0 else 0.0
        self.queues.put(publishing_job(run, f"{why}:{turn}", 1, at, delay_s=max(0.0, until)))

    def cancel_runs(self, repository_id: int, number: int, reason: str, *, but: str | None = None) -> None:
        """Stop every unended run of a pull request, except of the head `but`; a running judge ends within seconds.

        `reason` is shown on its Check Run, for example "superseded by 0123456789ab".
        """
        state = RunState.superseded if reason.startswith("superseded") else RunState.cancelled
        for run in self.store.runs.active(repository_id, number):
            if run.head_sha == but or not self.store.runs.advance(run.id, state, self.clock(), error=reason):
                continue
            if run.state is RunState.waiting:
                # Its job has ended, so somebody else must conclude its Check Run.
                self.ask_refresh(run.id, why="cancelled", delay_s=0)


def validation_job(run: RunRow, attempt: int, first_at: datetime, delay_s: float = 0.0) -> Job:
    """The job that judges a run's head; `first_at` is when its first attempt was asked for."""
    arguments = (run.id, attempt, int(first_at.timestamp()))
    return Job("validate_head", f"validate:{run.id}:{attempt}", Line.validation, arguments, partition_of(run), delay_s)


def publishing_job(run: RunRow, why: str, attempt: int, first_at: datetime, delay_s: float = 0.0) -> Job:
    """The job that brings what stands on GitHub for a run up to date."""
    job_id = f"publish:{run.id}:{why}:{attempt}"
    arguments = (run.id, why, attempt, int(first_at.timestamp()))
    return Job("publish_run", job_id, Line.publishing, arguments, partition_of(run), delay_s)


def partition_of(run: RunRow) -> str:
    """What a run's jobs must be in order with: its pull request, or its merge group."""
    return f"{run.repository_id}#{run.head_sha if run.number is None else run.number}"


def backoff(attempt: int, *, first_s: float = 2.0, most_s: float = 600.0) -> timedelta:
    """How long to wait after a failed attempt (from 1): doubling, up to ten minutes."""
    return timedelta(seconds=min(most_s, first_s * 2 ** min(attempt - 1, 20)))
