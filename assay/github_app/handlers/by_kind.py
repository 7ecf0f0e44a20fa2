"""Table of events and their handlers; events without a handler are only recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay.github.events import model
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
    model.PullRequestEvent: on_pull_request,
    model.CheckRunEvent: on_check_run,
    model.CheckSuiteEvent: on_check_suite,
    model.StatusEvent: on_status,
    model.WorkflowRunEvent: on_workflow_run,
    model.MergeGroupEvent: on_merge_group,
    model.InstallationEvent: on_installation,
    model.IssueCommentEvent: on_issue_comment,
    model.ReviewCommentEvent: on_review_comment,
    model.ReviewEvent: on_review,
    model.PushEvent: on_push,
}

handle = handle_with(HANDLERS)
