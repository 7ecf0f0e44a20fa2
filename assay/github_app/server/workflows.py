"""Bodies of the durable jobs, as plain methods that `engine` registers.

A failed job ends normally: it enqueues a new job with the next attempt number, so that its partition is not blocked, or
records the error in the dead-letter queue.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from assay.github.errors import GithubAppError, StoreUnavailable
from assay.github.events.parse import parse
from assay.github_app.handlers import handle
from assay.github_app.learning.extract.asking import learning_job
from assay.github_app.learning.job import LearningRuns
from assay.github_app.ops import observability
from assay.github_app.runs.steps import RunSteps, Step, WorkerHandle
from assay.github_app.runtime.context import WHILE_WAITING, Context, publishing_job
from assay.github_app.runtime.retries import Interrupted, error_line, next_attempt
from assay.github_app.store import DeliveryRow, RunRow, RunState

_log = logging.getLogger(__name__)
_Given = TypeVar("_Given")
StepRunner = Callable[[str, Callable[[], str]], str]


class Workflows:
    """Bodies of the jobs. `step` runs a part of a job once: the engine stores its result."""

    def __init__(
        self,
        context: Context,
        runs: RunSteps,
        learning: LearningRuns,
        worker: WorkerHandle,
        step: StepRunner,
    ) -> None:
        self._context = context
        self._runs = runs
        self._learning = learning
        self._worker = worker
        self._step = step

    def handle_delivery(self, delivery_id: str, attempt: int) -> str:
        """Handle one webhook: store its data and enqueue jobs."""
        deliveries = self._context.store.deliveries
        with observability.about(delivery=delivery_id):
            row = self._retrying(lambda: deliveries.get(delivery_id))
            if row is None or row.attempt != attempt or row.is_ended:
                return "already handled"
            try:
                event = parse(row.event, row.body, row.id)
                if event is not None:
                    handle(event, self._context)
            except Exception as error:  # noqa: BLE001 - every error is recorded
                return self._delivery_failed(row, error)
            at = self._context.clock()
            if event is None:
                self._retrying(lambda: deliveries.ignored(delivery_id, at))
                return "ignored"
            self._retrying(lambda: deliveries.done(delivery_id, at))
            observability.HANDLED.observe((at - row.received_at).total_seconds())
            happened = f"{row.event} {row.action}" if row.action else row.event
            _log.info("handled %s of %s", happened, row.repository or "the App")
            return "done"

    def validate_head(self, run_id: str, attempt: int, first_at: int) -> str:
        """Validate one head, from creating the Check Run to storing the report, and enqueue the publication."""
        step = self._validate(run_id, attempt, first_at)
        self._retrying(lambda: self._context.store.requests.end(run_id, attempt))
        return step

    def _validate(self, run_id: str, attempt: int, first_at: int) -> str:
        with observability.about(run=run_id):
            try:
                step = Step(self._step("begin", lambda: str(self._runs.begin(run_id))))
                if step is Step.validate:
                    step = Step(self._step("validate", lambda: str(self._runs.validate(run_id))))
                if step is Step.publish:
                    self._put_next(
                        run_id,
                        lambda run: self._context.queues.put(
                            publishing_job(run, f"validated:{attempt}", 1, self._context.clock())
                        ),
                    )
                elif step is Step.conclude:
                    self._runs.conclude(run_id)
            except Exception as error:  # noqa: BLE001 - every error is recorded
                return self._run_failed(
                    run_id,
                    attempt,
                    first_at,
                    error,
                    lambda run, began, s: self._context.request_attempt(run, attempt + 1, began, delay_s=s),
                )
            _log.info("validation attempt %d: next step is %s", attempt, step)
            return str(step)

    def publish_run(self, run_id: str, why: str, attempt: int, first_at: int) -> str:
        """Publish a run on GitHub."""
        with observability.about(run=run_id):
            try:
                step = self._runs.publish(run_id, is_progress=why.startswith(f"{WHILE_WAITING}:"))
                _log.info("published (%s), attempt %d", why, attempt)
                return str(step)
            except Exception as error:  # noqa: BLE001 - every error is recorded
                return self._run_failed(
                    run_id,
                    attempt,
                    first_at,
                    error,
                    lambda run, began, s: self._context.queues.put(publishing_job(run, why, attempt + 1, began, s)),
                )

    def learn_comment(
        self, repository_id: int, kind: str, comment_id: int, delivery_id: str, attempt: int, first_at: int
    ) -> str:
        """Learn from a review comment, and reply in its thread if it repeats earlier feedback."""
        comment = (repository_id, kind, comment_id, delivery_id)
        with observability.about(delivery=delivery_id):
            try:
                done = self._learning.learn(repository_id, kind, comment_id)
            except Exception as error:  # noqa: BLE001 - every error is recorded
                at, began = self._context.clock(), datetime.fromtimestamp(first_at, UTC)
                retry_at = self._retry_at("comment", error, attempt, began, at)
                if retry_at is None:
                    return "dead-lettered"
                again = learning_job(*comment, attempt + 1, began, (retry_at - at).total_seconds())
                self._retrying(lambda: self._context.queues.put(again))
                return "failed"
            _log.info("comment: %s", done)
            return done

    def _delivery_failed(self, row: DeliveryRow, error: Exception) -> str:
        at, deliveries = self._context.clock(), self._context.store.deliveries
        retry_at = self._retry_at("delivery", error, row.attempt, row.received_at, at)
        if retry_at is None:
            self._retrying(lambda: deliveries.park(row.id, error_line(error), at))
            return "dead-lettered"
        self._retrying(lambda: deliveries.failed(row.id, error_line(error), retry_at, at))
        return "failed"

    def _run_failed(
        self,
        run_id: str,
        attempt: int,
        first_at: int,
        error: Exception,
        again: Callable[[RunRow, datetime, float], None],
    ) -> str:
        at, began = self._context.clock(), datetime.fromtimestamp(first_at, UTC)
        retry_at = self._retry_at("run", error, attempt, began, at)
        if retry_at is not None:
            self._put_next(run_id, lambda run: again(run, began, (retry_at - at).total_seconds()))
            return "failed"
        incident, why = incident_of(run_id, attempt), error_line(error)
        is_news = self._retrying(
            lambda: self._context.store.runs.advance(run_id, RunState.failed, at, error=why, incident=incident)
        )
        if is_news:
            observability.RUNS.labels("failed").inc()
        # Also if it was recorded before: a worker may have died between the record and the job.
        self._put_next(run_id, lambda run: self._publish_failure(run, at))
        return "dead-lettered"

    def _publish_failure(self, run: RunRow, at: datetime) -> None:
        if run.state is RunState.failed:
            self._context.queues.put(publishing_job(run, "failed", 1, at))

    def _retry_at(self, what: str, error: Exception, attempt: int, first_at: datetime, at: datetime) -> datetime | None:
        """Log a failed attempt, and return the time of the next one; None to stop retrying, which is counted."""
        is_ours = not isinstance(error, GithubAppError)
        _log.warning("%s: attempt %d failed: %s", what, attempt, error_line(error), exc_info=error if is_ours else None)
        retry_at = next_attempt(error, attempt, first_at, at, self._context.settings.max_attempts)
        if retry_at is None:
            observability.DEAD_LETTERED.labels(what).inc()
        return retry_at

    def _put_next(self, run_id: str, put: Callable[[RunRow], None]) -> None:
        run = self._retrying(lambda: self._context.store.runs.get(run_id))
        if run is not None:
            self._retrying(lambda: put(run))

    def _retrying(self, act: Callable[[], _Given]) -> _Given:
        """Call `act` until the database is available. Raises `Interrupted` when the worker must stop."""
        wait_s = 0.5
        while True:
            try:
                return act()
            except StoreUnavailable as error:
                _log.warning("waiting for the database: %s", error)
                if self._worker.stopping.wait(wait_s):
                    raise Interrupted from None
                wait_s = min(10.0, wait_s * 2)


def incident_of(run_id: str, attempt: int) -> str:
    """Return a short id of one failure, shown in the Check Run and the log."""
    return hashlib.sha256(f"{run_id}:{attempt}".encode()).hexdigest()[:10]
