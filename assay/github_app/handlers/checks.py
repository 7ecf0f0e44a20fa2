"""Other people's checks: each may be what a run waits for. Ours: a button or "Re-run" was pressed."""

from __future__ import annotations

from assay.github.events.model import CheckRunEvent, CheckSuiteEvent, StatusEvent, WorkflowRunEvent
from assay.github_app.commands.pressing import press, rerequested
from assay.github_app.runtime.context import Context
from assay.github_app.store import RunState


def on_check_run(event: CheckRunEvent, context: Context) -> None:
    """A check run of anybody."""
    if event.check.app_id is not None and event.check.app_id == context.github.app_id:
        if event.about.action == "requested_action":
            press(event, context)
        elif event.about.action == "rerequested":
            rerequested(event, context)
        return
    refresh_head(event.about.repository.id if event.about.repository else None, event.check.head_sha, context)


def on_check_suite(event: CheckSuiteEvent, context: Context) -> None:
    """A check suite: "Re-run all" of ours, or the end of somebody's."""
    if event.app_id is not None and event.app_id == context.github.app_id:
        if event.about.action == "rerequested":
            rerequested(event, context)
        return
    if event.about.action == "completed":
        refresh_head(event.about.repository.id if event.about.repository else None, event.head_sha, context)


def on_status(event: StatusEvent, context: Context) -> None:
    """A commit status."""
    refresh_head(event.about.repository.id if event.about.repository else None, event.check.head_sha, context)


def on_workflow_run(event: WorkflowRunEvent, context: Context) -> None:
    """A workflow run that ended may have left results."""
    if event.about.action == "completed":
        refresh_head(event.about.repository.id if event.about.repository else None, event.head_sha, context)


def refresh_head(repository_id: int | None, head_sha: str, context: Context) -> None:
    """Have what stands on GitHub for a commit computed anew, where it is still the head of its pull request."""
    if repository_id is None:
        return
    heads = {row.number for row in context.store.pulls.with_head(repository_id, head_sha)}
    for number in sorted(heads):
        run = context.store.runs.of_head(repository_id, number, head_sha)
        # With a report it is being published just now, from what was known a moment ago.
        is_said = run is not None and run.state is RunState.running and run.reported_at is not None
        if run is not None and (is_said or run.state in (RunState.waiting, RunState.completed)):
            context.ask_refresh(run.id, why="checks")
