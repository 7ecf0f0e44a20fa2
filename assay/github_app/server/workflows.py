"""The bodies of the durable jobs, as plain methods: `jobs` gives them to the engine.

A job never ends in an error of its own accord: what went wrong is tried again later, as a new job with the next attempt
number (so that nothing else waits for it), or given up where people see it.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

from assay.github.errors import GithubAppError, StoreUnavailable
from assay.github.events.parse import parse
from assay.github_app import observability
from assay.github_app.handlers import handle
from assay.github_app.learning.extract.asking import learning_job
from assay.github_app.learning.job import LearningRuns
from assay.github_app.runs.publish_step import PublishingRuns
from assay.github_app.runs.steps import JudgingRuns, Me, Step
from assay.github_app.runtime.context import Context, publishing_job, validation_job
from assay.github_app.runtime.queues import Job
from assay.github_app.runtime.retries import INCIDENT, Interrupted, next_try, said
from assay.github_app.store import DeliveryRow, DeliveryState, RunRow, RunState

_log = logging.getLogger(__name__)
_Given = TypeVar("_Given")
StepRunner = Callable[[str, Callable[[], str]], str]


class RunJobs:
    """What the jobs do. `step` runs a part of a job whose result the engine keeps, so that it is not done again."""

    def __init__(
        self,
        context: Context,
        judging: JudgingRuns,
        publishing: PublishingRuns,
        learning: LearningRuns,
        me: Me,
        step: StepRunner,
    ) -> None:
        self._context = context
        self._judging = judging
        self._publishing = publishing
        self._learning = learning
        self._me = me
        self._step = step

    def handle_delivery(self, delivery_id: str, attempt: int) -> str:
        """Handle one webhook: facts into the store, and requests for work."""
        deliveries = self._context.store.deliveries
        with observability.about(delivery=delivery_id):
            row = self._patiently(lambda: deliveries.get(delivery_id))
            if row is None or row.attempt != attempt or row.state is not DeliveryState.started:
                return "handled already"
            try:
                event = parse(row.event, row.body, row.id)
                if event is not None:
                    handle(event, self._context)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is written down
                return self._delivery_failed(row, error)
            at = self._context.clock()
            if event is None:
                self._patiently(lambda: deliveries.ignored(delivery_id, at))
                return "ignored"
            self._patiently(lambda: deliveries.done(delivery_id, at))
            observability.HANDLED.observe((at - row.received_at).total_seconds())
            happened = f"{row.event} {row.action}" if row.action else row.event
            _log.info("%s of %s is handled", happened, row.repository or "the App")
            return "done"

    def validate_head(self, run_id: str, attempt: int, first_at: int) -> str:
        """Judge one head, from the Check Run's first sign to a report, and have it published."""
        with observability.about(run=run_id):
            try:
                step = Step(self._step("begin", lambda: str(self._judging.begin(run_id))))
                if step is Step.judge:
                    step = Step(self._step("judge", lambda: str(self._judging.judge(run_id))))
                if step is Step.publish:
                    self._put_next(
                        run_id, lambda run: publishing_job(run, f"judged:{attempt}", 1, self._context.clock())
                    )
                elif step is Step.conclude:
                    self._judging.conclude(run_id)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is written down
                return self._run_failed(
                    run_id, attempt, first_at, error, lambda run, began, s: validation_job(run, attempt + 1, began, s)
                )
            _log.info("judging, attempt %d: next is %s", attempt, step)
            return str(step)

    def publish_run(self, run_id: str, why: str, attempt: int, first_at: int) -> str:
        """Bring what stands on GitHub for a run up to date."""
        with observability.about(run=run_id):
            try:
                step = self._publishing.publish(run_id)
                _log.info("published (%s), attempt %d", why, attempt)
                return str(step)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is written down
                return self._run_failed(
                    run_id,
                    attempt,
                    first_at,
                    error,
                    lambda run, began, s: publishing_job(run, why, attempt + 1, began, s),
                )

    def learn_comment(
        self, repository_id: int, kind: str, comment_id: int, delivery_id: str, attempt: int, first_at: int
    ) -> str:
        """Learn from a review comment, and say in its thread what was said before."""
        comment = (repository_id, kind, comment_id, delivery_id)
        with observability.about(delivery=delivery_id):
            try:
                done = self._learning.learn(repository_id, kind, comment_id)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is written down
                at, began = self._context.clock(), datetime.fromtimestamp(first_at, UTC)
                retry_at = next_try(error, attempt, began, at, self._context.settings.max_attempts)
                is_ours = not isinstance(error, GithubAppError)
                _log.warning(
                    "attempt %d to learn from a comment failed: %s",
                    attempt,
                    said(error),
                    exc_info=error if is_ours else None,
                )
                if retry_at is None:
                    observability.PARKED.labels("comment").inc()
                    return "given up"
                again = learning_job(*comment, attempt + 1, began, (retry_at - at).total_seconds())
                self._patiently(lambda: self._context.queues.put(again))
                return "failed"
            _log.info("a comment %s", done)
            return done

    def _delivery_failed(self, row: DeliveryRow, error: Exception) -> str:
        at, deliveries = self._context.clock(), self._context.store.deliveries
        retry_at = next_try(error, row.attempt, row.received_at, at, self._context.settings.max_attempts)
        is_ours = not isinstance(error, GithubAppError)
        _log.warning(
            "attempt %d of a delivery failed: %s", row.attempt, said(error), exc_info=error if is_ours else None
        )
        if retry_at is None:
            self._patiently(lambda: deliveries.park(row.id, said(error), at))
            observability.PARKED.labels("delivery").inc()
            return "parked"
        self._patiently(lambda: deliveries.failed(row.id, said(error), retry_at, at))
        return "failed"

    def _run_failed(
        self,
        run_id: str,
        attempt: int,
        first_at: int,
        error: Exception,
        again: Callable[[RunRow, datetime, float], Job],
    ) -> str:
        at, began = self._context.clock(), datetime.fromtimestamp(first_at, UTC)
        retry_at = next_try(error, attempt, began, at, self._context.settings.max_attempts)
        is_ours = not isinstance(error, GithubAppError)
        _log.warning("attempt %d of a run failed: %s", attempt, said(error), exc_info=error if is_ours else None)
        if retry_at is not None:
            self._put_next(run_id, lambda run: again(run, began, (retry_at - at).total_seconds()))
            return "failed"
        why = f"{said(error)}{INCIDENT}{incident_of(run_id, attempt)}"
        is_news = self._patiently(lambda: self._context.store.runs.advance(run_id, RunState.failed, at, error=why))
        observability.PARKED.labels("run").inc()
        if is_news:
            observability.RUNS.labels("failed").inc()
            self._put_next(run_id, lambda run: publishing_job(run, "failed", 1, at))
        return "parked"

    def _put_next(self, run_id: str, job: Callable[[RunRow], Job]) -> None:
        run = self._patiently(lambda: self._context.store.runs.get(run_id))
        if run is not None:
            self._patiently(lambda: self._context.queues.put(job(run)))

    def _patiently(self, act: Callable[[], _Given]) -> _Given:
        """Do what must not be left undone, as soon as the database is back. Raises `Interrupted` when we must stop."""
        wait_s = 0.5
        while True:
            try:
                return act()
            except StoreUnavailable as error:
                _log.warning("waiting for the database: %s", error)
                if self._me.stopping.wait(wait_s):
                    raise Interrupted from None
                wait_s = min(10.0, wait_s * 2)


def incident_of(run_id: str, attempt: int) -> str:
    """A short name for one failure, to be found in Check Run and log alike."""
    return hashlib.sha256(f"{run_id}:{attempt}".encode()).hexdigest()[:10]
