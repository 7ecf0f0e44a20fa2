"""Steps of one validation run: validate its head, and publish the report.

A worker can die at any line, so a step may run twice: each first reads the run's state.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, Self

from assay.github.client import HeadState, Repo
from assay.github.errors import StoreUnavailable
from assay.github.events.model import PullFacts
from assay.github_app.ops import observability
from assay.github_app.runs.current import current_pull
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.retries import Interrupted
from assay.github_app.store import Advance, RunRow, RunState

_log = logging.getLogger(__name__)
LOOK_S = 1.0
"""Seconds between two checks whether a running validation should stop."""


class Step(StrEnum):
    """Next step of a run."""

    validate = "validate"
    publish = "publish"
    conclude = "conclude"
    nothing = "nothing"


@dataclass(frozen=True, slots=True)
class WorkerHandle:
    """Name and lease of this worker. `holds` returns whether the lease is valid; `stopping` is set at exit."""

    executor: str
    holds: Callable[[], bool]
    stopping: threading.Event

    def must_hold(self) -> None:
        """Raise `StoreUnavailable` if the lease expired, since another worker may have taken over the job."""
        if not self.holds():
            raise StoreUnavailable("this worker's lease expired; the job is retried")


class Validator(Protocol):
    """Interface that validates a run's head and saves the report."""

    def validate(
        self, run: RunRow, pull: PullFacts, context: Context, stop: threading.Event, on_started: Callable[[int], None]
    ) -> None:
        """Validate the head; return when the report is saved or soon after `stop` is set, with no process left.

        The validating process exits when its worker dies, so no process of an older run remains.

        Raises:
            CheckoutFailed, ValidationFailed, GithubRefused, GithubUnavailable, StoreUnavailable
        """


class Publisher(Protocol):
    """Interface that publishes a run's state on GitHub; every method is idempotent."""

    def begin(self, run: RunRow, pull: PullFacts, repo: Repo, context: Context) -> int | None:
        """Show that validation is in progress; return the id of the Check Run, None if that has to wait."""

    def conclude(self, run: RunRow, repo: Repo) -> None:
        """Conclude the Check Run of a run without a report, with the run's reason or error.

        A run that failed and has no Check Run gets one.
        """

    def publish(
        self, run: RunRow, pull: PullFacts, repo: Repo, context: Context, state: HeadState | None = None
    ) -> bool:
        """Update Check Run, label, comment and review; return False while other checks of the head are pending.

        `state` is the head's, with its checks, if it was read just now.
        """


class RunSteps:
    """Steps of the jobs `validate_head` and `publish_run`; publications of a pull request run one at a time."""

    def __init__(self, context: Context, validator: Validator, publisher: Publisher, worker: WorkerHandle) -> None:
        self._context = context
        self._validator = validator
        self._publisher = publisher
        self._worker = worker
        self._just_seen: dict[str, PullFacts] = {}

    def begin(self, run_id: str) -> Step:
        """Check that the run is still current, and show on GitHub that it started."""
        store = self._context.store
        run = store.runs.get(run_id)
        if run is None or run.number is None:
            return Step.nothing
        if run.state.is_ended:
            return Step.conclude
        if run.reported_at is not None:
            return Step.publish
        pull = current_pull(self._context, run).pull
        with self._context.repo(run.repository_id) as repo:
            if not self._makes_sense(run, pull):
                return Step.conclude
            at = self._context.clock()
            if not store.runs.advance(
                run.id, RunState.running, at, executor=self._worker.executor, process_group=None, base_sha=pull.base_sha
            ):
                return Step.conclude
            self._worker.must_hold()
            check_run_id = self._publisher.begin(run, pull, repo, self._context)
            if check_run_id is not None:
                store.runs.set_check_run(run.id, check_run_id, at)
        self._just_seen[run.id] = pull
        return Step.validate

    def validate(self, run_id: str) -> Step:
        """Validate the head; stop early if the run is cancelled or superseded, or this worker exits."""
        store = self._context.store
        run = store.runs.get(run_id)
        if run is None or run.number is None or run.state.is_ended:
            return Step.conclude
        if run.reported_at is not None:
            return Step.publish
        # `begin` read it a moment ago, unless this job was resumed. Requests to GitHub are what a large organization
        # runs out of first.
        pull = self._just_seen.pop(run.id, None)
        if pull is None:
            pull = current_pull(self._context, run).pull
        if not self._makes_sense(run, pull):
            return Step.conclude
        began = time.monotonic()
        with StopWatcher(self._context, run.id, self._worker) as watch:
            try:
                self._validator.validate(run, pull, self._context, watch.stop, lambda pid: self._started(run, pid))
            except Exception:
                # After a stop request any error of the validation is expected.
                if not watch.stop.is_set():
                    raise
        if self._worker.stopping.is_set() and watch.stop.is_set():
            raise Interrupted
        if watch.stop.is_set():
            return Step.conclude
        observability.VALIDATION_SECONDS.observe(time.monotonic() - began)
        return Step.publish

    def conclude(self, run_id: str) -> Step:
        """Conclude the Check Run of a stopped run; a run that never started has none.

        A later turn that started has taken over the Check Run, and may have published its verdict.
        """
        run = self._context.store.runs.get(run_id)
        if run is None or run.state not in (RunState.superseded, RunState.cancelled):
            return Step.nothing
        later = self._later_turn(run)
        if run.started_at is not None and (later is None or later.started_at is None):
            with self._context.repo(run.repository_id) as repo:
                self._publisher.conclude(run, repo)
        return Step.nothing

    def publish(self, run_id: str, *, is_progress: bool = False) -> Step:
        """Publish the report of a run, or why it ended without one; do nothing while it is unfinished.

        With `is_progress` nothing is done for a run that waits no longer: its verdict was published since.
        """
        context, store = self._context, self._context.store
        run = store.runs.get(run_id)
        if run is None or run.number is None or (is_progress and run.state is RunState.completed):
            return Step.nothing
        if run.state in (RunState.superseded, RunState.cancelled):
            return self.conclude(run_id)
        if self._later_turn(run) is not None:
            return Step.nothing
        if run.state is RunState.failed:
            with context.repo(run.repository_id) as repo:
                self._publisher.conclude(run, repo)
        if run.reported_at is None or run.state is RunState.failed:
            return Step.nothing
        found = current_pull(context, run, with_checks=True)
        if found.pull.head_sha != run.head_sha:
            return self._superseded(run_id, found.pull.head_sha)
        with context.repo(run.repository_id) as repo:
            self._worker.must_hold()
            is_final = self._publisher.publish(run, found.pull, repo, context, found.state)
        if not is_final:
            # A newer head may have ended the run meanwhile, and what was just published is then in progress for ever.
            return self.conclude(run_id)
        if store.runs.advance(run.id, RunState.completed, context.clock()):
            observability.RUNS.labels("completed").inc()
        return Step.nothing

    def _later_turn(self, run: RunRow) -> RunRow | None:
        """Return the newest run of the same head if it is another one."""
        newest = self._context.store.runs.of_head(run.repository_id, run.number, run.head_sha)
        return newest if newest is not None and newest.id != run.id else None

    def _makes_sense(self, run: RunRow, pull: PullFacts) -> bool:
        """Return whether the run is current; otherwise end it and request a run for the newer head."""
        context = self._context
        row = context.store.pulls.get(run.repository_id, pull.number)
        state, why = RunState.cancelled, Advance()
        if pull.head_sha != run.head_sha:
            state, why = RunState.superseded, Advance(superseded_by=pull.head_sha)
        elif pull.state == "closed" and not pull.is_merged:
            why = Advance(error="the pull request was closed")
        elif row is not None and row.is_paused:
            why = Advance(error=f"paused by {row.paused_by}")
        else:
            return True
        if context.store.runs.advance(run.id, state, context.clock(), **why):
            observability.RUNS.labels(str(state)).inc()
        if state is RunState.superseded and pull.state == "open" and (row is None or not row.is_paused):
            context.ask_validation(run.repository_id, pull.number, pull.head_sha, "newer_head")
        return False

    def _started(self, run: RunRow, process_group: int) -> None:
        self._context.store.runs.advance(
            run.id, RunState.running, self._context.clock(), executor=self._worker.executor, process_group=process_group
        )

    def _superseded(self, run_id: str, by: str) -> Step:
        """Mark an unfinished run as superseded; a completed one keeps its verdict, which is still valid for its head.

        Its Check Run is concluded here also where the webhook of the newer head ended the run first: that leaves it to
        the job at work, which is this one.
        """
        context = self._context
        if context.store.runs.advance(run_id, RunState.superseded, context.clock(), superseded_by=by):
            observability.RUNS.labels("superseded").inc()
        return self.conclude(run_id)


class StopWatcher(AbstractContextManager["StopWatcher"]):
    """Thread that sets `stop` when another process ends the run or this worker must exit."""

    def __init__(self, context: Context, run_id: str, worker: WorkerHandle) -> None:
        self.stop = threading.Event()
        self._context = context
        self._run_id = run_id
        self._worker = worker
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._is_over.wait(LOOK_S):
            if self._worker.stopping.is_set() or self._was_ended():
                self.stop.set()
                return

    def _was_ended(self) -> bool:
        try:
            run = self._context.store.runs.get(self._run_id)
        except StoreUnavailable as error:
            _log.warning("cannot read whether the run was stopped: %s", error)
            return False
        return run is None or run.state.is_ended
