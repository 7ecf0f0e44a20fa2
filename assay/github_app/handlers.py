"""Webhook event handlers: record each event, then enqueue the work it requires."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from assay.github.client import Repo
from assay.github.events.model import (
    CheckFacts,
    CheckRunEvent,
    CheckSuiteEvent,
    Event,
    InstallationEvent,
    IssueCommentEvent,
    MergeGroupEvent,
    PullRequestEvent,
    PushEvent,
    RepositoryFacts,
    ReviewCommentEvent,
    ReviewEvent,
    StatusEvent,
    WorkflowRunEvent,
)
from assay.github_app.commands.answering import answer
from assay.github_app.commands.pressing import press, rerequested
from assay.github_app.learning.extract.asking import ask_learning, ask_learning_of_review
from assay.github_app.learning.repository_settings import configuration_on
from assay.github_app.maintenance.sweep import open_pulls_job
from assay.github_app.maintenance.task_branches import follow_branch
from assay.github_app.ops.permissions import FOR_CHECKOUT
from assay.github_app.outcomes import evaluate_pull, record
from assay.github_app.runs import merge_queue
from assay.github_app.runs.finding_outcomes import settle
from assay.github_app.runs.holds import hold_again
from assay.github_app.runs.same_head import refresh_others
from assay.github_app.runtime.context import GATHER_S, WHILE_WAITING, Context
from assay.github_app.runtime.organization import Inherit, inheriting
from assay.github_app.store import EventKind, PullRow, RunRow, RunState
from assay.validators import CONFIGURATION, ConfigurationError, ValidationConfig

MOST_PUSHED = 2048
"""Maximum commits in a push payload: "The array includes a maximum of 2048 commits"."""
MORE_TO_COME_S = 60.0
"""Seconds within which refreshes after passed checks are merged into one; the end of their suite is not waited for."""
CHECKS = "checks"
"""Reason of a refresh that can change the verdict."""
_BRANCH = "refs/heads/"
_STARTS_VALIDATION = frozenset({"opened", "reopened", "synchronize", "ready_for_review"})
_ADDS_REPOSITORIES = frozenset({"created", "added", "unsuspend"})


def on_pull_request(event: PullRequestEvent, context: Context) -> None:
    """Act on the newest stored state of the pull request, because events arrive in any order."""
    if event.about.repository is None:
        return
    row = context.store.pulls.get(event.about.repository.id, event.pull.number)
    if row is None:
        return
    action = event.about.action
    if action in ("opened", "closed", "reopened") and not row.is_fork:
        follow_branch(context, row.repository_id, row.head_ref)
    if action in ("closed", "reopened"):
        # The result of other pull requests with this head depends on which of them are open.
        but = row.number if action == "closed" else None
        refresh_others(row.repository_id, row.head_sha, but, context)
    if row.state == "closed":
        evaluate_pull(context.store, row.repository_id, row.number, context.clock())
        settle(context, row)
        if not row.is_merged:
            context.cancel_runs(row.repository_id, row.number, "the pull request was closed")
        return
    if action in _STARTS_VALIDATION:
        _validate(row, action, context)
    elif action == "edited" and event.old_base_ref is not None:
        _validate(_reset_for_new_base(event, row, context), "new_base", context, request_key=event.about.delivery_id)
    elif action in ("labeled", "unlabeled") and (event.label or "").startswith("risk:"):
        _correct_label(event, row, context)


def _validate(row: PullRow, trigger: str, context: Context, request_key: str | None = None) -> None:
    if row.is_paused:
        return
    place = (row.repository_id, row.number)
    context.supersede_runs(*place, row.head_sha)
    if request_key is not None:
        context.cancel_runs(*place, "the pull request has a new base branch", but=request_key)
    context.ask_validation(*place, row.head_sha, trigger, request_key=request_key, is_again=request_key is not None)


def _reset_for_new_base(event: PullRequestEvent, row: PullRow, context: Context) -> PullRow:
    """Withdraw approvals, waivers and the pause of a pull request whose base changed.

    A new base makes another change of the same head, so earlier approvals and waivers do not apply to it.
    """
    store, at, place = context.store, context.clock(), (row.repository_id, row.number)
    why = f"the base was {event.old_base_ref} when it was released"
    with store.together():
        hold_again(store, (*place, row.head_sha), why, at)
        for waiver in store.waivers.of(*place).values():
            # A redelivered event must not end waivers of the new change.
            if event.pull.updated_at is not None and waiver.at > event.pull.updated_at:
                continue
            store.waivers.remove(*place, waiver.finding_id)
            data = {"finding_id": waiver.finding_id, "why": "another base", "base_ref": event.old_base_ref}
            key = f"{event.about.delivery_id}:{waiver.finding_id}"
            store.events.append(EventKind.waiver_ended, key, at, *place, data=data)
        if store.pulls.resume(*place):
            data = {"by": None, "why": "another base"}
            store.events.append(EventKind.pull_resumed, event.about.delivery_id, at, *place, data=data)
    return replace(row, paused_by=None, paused_at=None)


def _correct_label(event: PullRequestEvent, row: PullRow, context: Context) -> None:
    """Restore Assay's label if another account changed it; Assay's own edits also arrive as events."""
    if event.about.sender is not None and context.github.us().is_me(event.about.sender):
        return
    run = context.store.runs.newest_reported(row.repository_id, row.number)
    if run is not None and run.head_sha == row.head_sha and run.state in (RunState.waiting, RunState.completed):
        context.ask_refresh(run.id, why="label")


def on_push(event: PushEvent, context: Context) -> None:
    """Validate open pull requests again if a push changes the configuration of their base.

    A verdict under an older configuration must not stand, whether that was laxer or impossible to pass. The push,
    or the deletion, of a task's branch changes the task's branch state.
    """
    repository, branch = event.about.repository, event.ref.removeprefix(_BRANCH)
    if repository is not None:
        context.readings.drop(repository.full_name)
    if repository is None or not event.ref.startswith(_BRANCH):
        return
    follow_branch(context, repository.id, branch)
    if not event.after.strip("0"):
        return
    pulls = [row for row in context.store.pulls.open_in(repository.id, branch) if not row.is_paused]
    if not pulls or not _may_touch(event):
        return
    with context.repo(repository.id, FOR_CHECKOUT) as repo:
        inherit = inheriting(context, repository.id)
        before, after = (_effective_configuration(repo, sha, inherit) for sha in (event.before, event.after))
        if before == after:
            return
    for row in pulls:
        place = (row.repository_id, row.number)
        key = f"configuration:{event.about.delivery_id}:{row.number}"
        context.cancel_runs(*place, f"the configuration of {branch} has changed", but=key)
        context.ask_validation(*place, row.head_sha, "configuration", request_key=key, is_again=True)


def _may_touch(event: PushEvent) -> bool:
    """Return whether a configuration file may have changed; forced pushes do not list removed commits."""
    if not event.commits or len(event.commits) >= MOST_PUSHED:
        return True
    return any(path == CONFIGURATION for commit in event.commits for path in commit.paths)


def _effective_configuration(repo: Repo, commit: str, inherit: Inherit) -> ValidationConfig | tuple[str, ...]:
    """Return the configuration at a commit, or its problems."""
    try:
        return configuration_on(repo, commit, inherit)
    except ConfigurationError as error:
        return tuple(f"{problem.line}: {problem.message}" for problem in error.problems)


def on_merge_group(event: MergeGroupEvent, context: Context) -> None:
    """Publish the verdict for the group's head; the queue expects it within seconds. Dissolved groups need none."""
    if event.about.action == "checks_requested":
        merge_queue.answer(event, context)


def on_installation(event: InstallationEvent, context: Context) -> None:
    """Enqueue the open pull requests of added repositories; the change itself is already recorded."""
    if event.about.action in _ADDS_REPOSITORIES:
        added = {repository.id for repository in event.repositories_added}
        if event.about.action == "unsuspend":  # it need not list them
            stored = context.store.repositories.active()
            added |= {row.id for row in stored if row.installation_id == event.about.installation_id}
        for repository_id in sorted(added):
            context.queues.put(open_pulls_job(repository_id, event.about.delivery_id))


def on_issue_comment(event: IssueCommentEvent, context: Context) -> None:
    """Handle a comment in a pull request's conversation. Only new comments run commands; learning follows edits."""
    if event.is_pull and event.about.repository is not None:
        ask_learning(context, event.about.repository.id, event.comment, event.about.delivery_id)
    if event.is_pull and event.about.action == "created":
        answer(event, context)


def on_review_comment(event: ReviewCommentEvent, context: Context) -> None:
    """Handle a comment on a line of the diff."""
    if event.about.repository is not None:
        ask_learning(context, event.about.repository.id, event.comment, event.about.delivery_id)
    if event.about.action == "created":
        answer(event, context)


def on_review(event: ReviewEvent, context: Context) -> None:
    """Handle a review's summary; most have none, and an edited one is read again because it may have lost its text."""
    if event.about.repository is not None and (event.review.body.strip() or event.about.action == "edited"):
        ask_learning_of_review(context, event.about.repository.id, event.review, event.about.delivery_id)


def on_check_run(event: CheckRunEvent, context: Context) -> None:
    """Handle a check run of any app."""
    if event.check.app_id is not None and event.check.app_id == context.github.app_id:
        if event.about.action == "requested_action":
            press(event, context)
        elif event.about.action == "rerequested":
            rerequested(event, context)
        return
    _refresh_after(event.check, event.about.repository, context)


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
    _refresh_after(event.check, event.about.repository, context)


def on_workflow_run(event: WorkflowRunEvent, context: Context) -> None:
    """Refresh the head of a completed workflow run, which may have produced results."""
    if event.about.action == "completed":
        refresh_head(event.about.repository.id if event.about.repository else None, event.head_sha, context)


def _refresh_after(check: CheckFacts, repository: RepositoryFacts | None, context: Context) -> None:
    refresh_head(repository.id if repository else None, check.head_sha, context, check)


def refresh_head(repository_id: int | None, head_sha: str, context: Context, check: CheckFacts | None = None) -> None:
    """Request a new publication for a commit that is still the head of a pull request; `check` is what changed."""
    if repository_id is None:
        return
    heads = {row.number for row in context.store.pulls.with_head(repository_id, head_sha)}
    for number in sorted(heads):
        run = context.store.runs.of_head(repository_id, number, head_sha)
        # A running run with a report is being published from older data, so it needs a refresh too.
        is_publishing = run is not None and run.state is RunState.running and run.reported_at is not None
        if run is not None and (is_publishing or run.state in (RunState.waiting, RunState.completed)):
            refresh = _refresh_for(check, run, context)
            if refresh is not None:
                why, delay_s = refresh
                context.ask_refresh(run.id, why=why, delay_s=delay_s)


def _refresh_for(check: CheckFacts | None, run: RunRow, context: Context) -> tuple[str, float] | None:
    """Return the reason of a refresh and how long it may wait; None if the event changes no verdict.

    A refresh is soon after a failure, the last check or the end of a suite. Each is requests to GitHub, and a large
    organization runs out of those first.
    """
    if check is None:
        return CHECKS, GATHER_S
    if check.status != "completed":
        return None
    is_good = check.source == "check_run" and check.conclusion in ("success", "neutral", "skipped")
    if not is_good or run.state is RunState.running:
        return CHECKS, GATHER_S
    if run.state is RunState.completed:
        return CHECKS, MORE_TO_COME_S
    awaited = context.store.published.get(run.repository_id, run.number or 0).extra.get("awaited", ())
    return (CHECKS, GATHER_S) if set(awaited) <= {check.name} else (WHILE_WAITING, MORE_TO_COME_S)


HANDLERS: Mapping[type, Callable[[Any, Context], None]] = {
    PullRequestEvent: on_pull_request,
    CheckRunEvent: on_check_run,
    CheckSuiteEvent: on_check_suite,
    StatusEvent: on_status,
    WorkflowRunEvent: on_workflow_run,
    MergeGroupEvent: on_merge_group,
    InstallationEvent: on_installation,
    IssueCommentEvent: on_issue_comment,
    ReviewCommentEvent: on_review_comment,
    ReviewEvent: on_review,
    PushEvent: on_push,
}
"""Events and their handlers; events without a handler are only recorded."""


def handle(event: Event, context: Context) -> None:
    """Record an event and run the handler of its type; idempotent."""
    web_url, app_id = context.settings.github_url, context.github.app_id
    record(event, context.store, context.clock(), web_url=web_url, app_id=app_id)
    handler = HANDLERS.get(type(event))
    if handler is not None:
        handler(event, context)
