"""Checks: refresh runs that wait for external checks; handle buttons and "Re-run" on Assay's own."""

from __future__ import annotations

from assay.github.events.model import CheckRunEvent, CheckSuiteEvent, StatusEvent, WorkflowRunEvent
from assay.github_app.commands.pressing import press, rerequested
from assay.github_app.runtime.context import Context
from assay.github_app.store import RunState


def on_check_run(event: CheckRunEvent, context: Context) -> None:
    """Handle a check run of any app."""
    if event.check.app_id is not None and event.check.app_id == context.github.app_id:
        if event.about.action == "requested_action":
            press(event, context)
        elif event.about.action == "rerequested":
            rerequested(event, context)
        return
    refresh_head(event.about.repository.id if event.about.repository else None, event.check.head_sha, context)


def on_check_suite(event: CheckSuiteEvent, context: Context) -> None:
    """Handle "Re-run all" of Assay's suite, or the completion of another one."""
    if event.app_id is not None and event.app_id == context.github.app_id:
        if event.about.action == "rerequested":
            rerequested(event, context)
        return
    if event.about.action == "completed":
        refresh_head(event.about.repository.id if event.about.repository else None, event.head_sha, context)


def on_status(event: StatusEvent, context: Context) -> None:
    """Refresh the head of a commit status."""
    refresh_head(event.about.repository.id if event.about.repository else None, event.check.head_sha, context)


def on_workflow_run(event: WorkflowRunEvent, context: Context) -> None:
    """Refresh the head of a completed workflow run, which may have produced results."""
    if event.about.action == "completed":
        refresh_head(event.about.repository.id if event.about.repository else None, event.head_sha, context)


def refresh_head(repository_id: int | None, head_sha: str, context: Context) -> None:
    """Request a new publication for a commit that is still the head of a pull request."""
    if repository_id is None:
        return
    heads = {row.number for row in context.store.pulls.with_head(repository_id, head_sha)}
    for number in sorted(heads):
        run = context.store.runs.of_head(repository_id, number, head_sha)
        # A running run with a report is being published from older data, so it needs a refresh too.
        is_said = run is not None and run.state is RunState.running and run.reported_at is not None
        if run is not None and (is_said or run.state in (RunState.waiting, RunState.completed)):
            context.ask_refresh(run.id, why="checks")
