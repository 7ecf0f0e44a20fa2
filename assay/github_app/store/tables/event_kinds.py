"""Kinds of log entries with their descriptions, also listed in `docs/app/store.md`."""

from __future__ import annotations

from enum import StrEnum


class EventKind(StrEnum):
    """Event of a pull request or task."""

    pr_opened = "pr_opened"
    pr_reopened = "pr_reopened"
    pr_ready_for_review = "pr_ready_for_review"
    pr_converted_to_draft = "pr_converted_to_draft"
    head_pushed = "head_pushed"
    agent_seen = "agent_seen"
    prompt_version_seen = "prompt_version_seen"
    check_completed = "check_completed"
    validation_completed = "validation_completed"
    validation_delayed = "validation_delayed"
    review_submitted = "review_submitted"
    review_dismissed = "review_dismissed"
    comment_made = "comment_made"
    thread_resolved = "thread_resolved"
    thread_reopened = "thread_reopened"
    hold_placed = "hold_placed"
    hold_released = "hold_released"
    finding_waived = "finding_waived"
    waiver_ended = "waiver_ended"
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
    task_submitted = "task_submitted"
    agent_started = "agent_started"
    agent_progressed = "agent_progressed"
    tool_failed = "tool_failed"
    pr_created = "pr_created"
    task_completed = "task_completed"
    task_failed = "task_failed"
    task_timed_out = "task_timed_out"
    feedback_given = "feedback_given"
    trace_read = "trace_read"
    task_evaluated = "task_evaluated"
    memory_examined = "memory_examined"


DECISIONS = (
    EventKind.hold_placed,
    EventKind.hold_released,
    EventKind.finding_waived,
    EventKind.waiver_ended,
    EventKind.command_given,
    EventKind.pull_paused,
    EventKind.pull_resumed,
)
"""Kinds that record what people decided; these entries are never deleted, which the database enforces."""
