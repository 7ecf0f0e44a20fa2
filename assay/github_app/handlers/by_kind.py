"""Which handler an event goes to; one without a handler is only recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay.github_app import events
from assay.github_app.handlers.checks import (
    on_check_run,
    on_check_suite,
    on_status,
    on_workflow_run,
)
from assay.github_app.handlers.comments import on_issue_comment, on_review, on_review_comment
from assay.github_app.handlers.handling import handle_with
from assay.github_app.handlers.installations import on_installation
from assay.github_app.handlers.merge_groups import on_merge_group
from assay.github_app.handlers.pulls import on_pull_request
from assay.github_app.handlers.pushes import on_push

HANDLERS: Mapping[type, Callable[[Any, Any], None]] = {
    events.PullRequestEvent: on_pull_request,
    events.CheckRunEvent: on_check_run,
    events.CheckSuiteEvent: on_check_suite,
    events.StatusEvent: on_status,
    events.WorkflowRunEvent: on_workflow_run,
    events.MergeGroupEvent: on_merge_group,
    events.InstallationEvent: on_installation,
    events.IssueCommentEvent: on_issue_comment,
    events.ReviewCommentEvent: on_review_comment,
    events.ReviewEvent: on_review,
    events.PushEvent: on_push,
}

handle = handle_with(HANDLERS)
