"""The kinds of entries in the log, each with what it says; `docs/app/store.md` shows the same list."""

from __future__ import annotations

from enum import StrEnum


class EventKind(StrEnum):
    """What happened to a pull request or task."""

    pr_opened = "pr_opened"
    pr_reopened = "pr_reopened"
    pr_ready_for_review = "pr_ready_for_review"
    pr_converted_to_draft = "pr_converted_to_draft"
    head_pushed = "head_pushed"
    agent_seen = "agent_seen"
    prompt_version_seen = "prompt_version_seen"
    check_completed = "check_completed"
    validation_completed = "validation_completed"
    review_submitted = "review_submitted"
    review_dismissed = "review_dismissed"
    comment_made = "comment_made"
    thread_resolved = "thread_resolved"
    thread_reopened = "thread_reopened"
    hold_placed = "hold_placed"
    hold_released = "hold_released"
    finding_waived = "finding_waived"
    fix_requested = "fix_requested"
    fix_stopped = "fix_stopped"
    command_given = "command_given"
    command_answered = "command_answered"
    pull_paused = "pull_paused"
    pull_resumed = "pull_resumed"
    results_posted = "results_posted"
    alert_sent = "alert_sent"
    alert_failed = "alert_failed"
    pr_outcome_recorded = "pr_outcome_recorded"
    mistake_repeated = "mistake_repeated"
