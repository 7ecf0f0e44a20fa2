"""Step that publishes a run: after validation, when other checks finish, and after commands of users.

All publications of a pull request run through it, one at a time.
"""

from __future__ import annotations

from assay.github_app import observability
from assay.github_app.runs.steps import JudgingRuns, Me, Publisher, Step, seen
from assay.github_app.runtime.context import Context
from assay.github_app.store import RunState


class PublishingRuns:
    """Step of the job `publish_run`."""

    def __init__(self, context: Context, publisher: Publisher, judging: JudgingRuns, me: Me) -> None:
        self._context = context
        self._publisher = publisher
        self._judging = judging
        self._me = me

    def publish(self, run_id: str) -> Step:
        """Publish the report of a run, or why it ended without one; do nothing while it is unfinished."""
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
        """Mark an unfinished run as superseded; an ended run keeps its verdict, which is still valid for its head."""
        context = self._context
        if not context.store.runs.advance(run_id, RunState.superseded, context.clock(), superseded_by=by):
            return Step.nothing
        observability.RUNS.labels("superseded").inc()
        return self._judging.conclude(run_id)
