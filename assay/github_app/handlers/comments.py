"""Comments that begin with a command."""

from __future__ import annotations

from assay.github_app.commands import answer
from assay.github_app.context import Context
from assay.github_app.events import IssueCommentEvent, ReviewCommentEvent


def on_issue_comment(event: IssueCommentEvent, context: Context) -> None:
    """In the conversation of a pull request. A comment that was edited says nothing new: only fresh ones count."""
    if event.is_pull and event.about.action == "created":
        answer(event, context)


def on_review_comment(event: ReviewCommentEvent, context: Context) -> None:
    """On a line of its diff."""
    if event.about.action == "created":
        answer(event, context)
