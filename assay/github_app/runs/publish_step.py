"""Bringing what stands on GitHub for a run up to date: after judging, when checks end, when people decide something.

All publishing of a pull request goes through here, one at a time, whoever asked for it.
"""

from __future__ import annotations

from assay.github_app import observability
from assay.github_app.runs.steps import JudgingRuns, Me, Publisher, Step, seen
from assay.github_app.runtime.context import Context
from assay.github_app.store import RunState


class PublishingRuns:
    """The one step of `publish_run`."""

    def __init__(self, context: Context, publisher: Publisher, judging: JudgingRuns, me: Me) -> None:
        self._context = context
        self._publisher = publisher
        self._judging = judging
        self._me = me

    def publish(self, run_id: str) -> Step:
        """Publish a run that has a report, and how one without ended; leave alone what has nothing to say yet."""
        context, store = self._context, self._context.store
        run = store.runs.get(run_id)
        if run is None or run.number is None:
            return Step.nothing
        if run.state in (RunState.superseded, RunState.cancelled):
            return self._judging.conclude(run_id)
        newest = store.runs.of_head(run.repository_id, run.number, run.head_sha)
        if newest is not None and newest.id != run.id:
            return Step.nothing
        if run.state is RunState.failed and run.check_run_id is not None:
            with context.repo(run.repository_id) as repo:
                self._publisher.could_not_run(run, run.check_run_id, repo)
        if run.reported_at is None or run.state is RunState.failed:
            return Step.nothing
        with context.repo(run.repository_id) as repo:
            pull = seen(context, run, repo)
            if pull.head_sha != run.head_sha:
                return self._superseded(run_id, pull.head_sha)
            self._me.must_hold()
            is_final = self._publisher.publish(run, pull, repo, context)
        if is_final and store.runs.advance(run.id, RunState.completed, context.clock()):
            observability.RUNS.labels("completed").inc()
        return Step.nothing

    def _superseded(self, run_id: str, by: str) -> Step:
        """An ended run keeps its verdict: it was the truth about its head."""
        context = self._context
        if not context.store.runs.advance(
            run_id, RunState.superseded, context.clock(), error=f"superseded by {by[:12]}"
        ):
            return Step.nothing
        observability.RUNS.labels("superseded").inc()
        return self._judging.conclude(run_id)
