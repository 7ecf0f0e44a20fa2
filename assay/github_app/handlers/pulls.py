"""Pull requests: validate new heads and stop the runs of older or closed ones."""

from __future__ import annotations

from dataclasses import replace

from assay.github.events.model import PullRequestEvent
from assay.github_app.outcomes import evaluate_pull
from assay.github_app.runs.holds import hold_anew
from assay.github_app.runs.same_head import refresh_others
from assay.github_app.runtime.context import Context
from assay.github_app.store import EventKind, PullRow, RunState

_BRINGS_WORK = frozenset({"opened", "reopened", "synchronize", "ready_for_review"})


def on_pull_request(event: PullRequestEvent, context: Context) -> None:
    """Act on the newest stored state of the pull request, because events arrive in any order."""
    if event.about.repository is None:
        return
    row = context.store.pulls.get(event.about.repository.id, event.pull.number)
    if row is None:
        return
    action = event.about.action
    if action in ("closed", "reopened"):
        # The result of other pull requests with this head depends on which of them are open.
        but = row.number if action == "closed" else None
        refresh_others(row.repository_id, row.head_sha, but, context)
    if row.state == "closed":
        evaluate_pull(context.store, row.repository_id, row.number, context.clock())
        if not row.is_merged:
            context.cancel_runs(row.repository_id, row.number, "the pull request was closed")
        return
    if action in _BRINGS_WORK:
        _judge(row, action, context)
    elif action == "edited" and event.old_base_ref is not None:
        _judge(_of_another_base(event, row, context), "new_base", context, request_key=event.about.delivery_id)
    elif action in ("labeled", "unlabeled") and (event.label or "").startswith("risk:"):
        _correct_label(event, row, context)


def _judge(row: PullRow, trigger: str, context: Context, request_key: str | None = None) -> None:
    if row.is_paused:
        return
    place = (row.repository_id, row.number)
    context.cancel_runs(*place, f"superseded by {row.head_sha[:12]}", but=row.head_sha)
    if request_key is not None:
        context.cancel_runs(*place, "the pull request has a new base branch")
    context.ask_validation(*place, row.head_sha, trigger, request_key=request_key, is_again=request_key is not None)


def _of_another_base(event: PullRequestEvent, row: PullRow, context: Context) -> PullRow:
    """Withdraw holds, waivers and the pause of a pull request whose base changed.

    A new base makes another change of the same head, so earlier approvals and waivers do not apply to it.
    """
    store, at, place = context.store, context.clock(), (row.repository_id, row.number)
    why = f"the base was {event.old_base_ref} when it was released"
    with store.together():
        hold_anew(store, (*place, row.head_sha), why, at)
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
