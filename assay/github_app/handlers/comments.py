"""Comments: answer commands, and update the rules learned from them."""

from __future__ import annotations

from assay.github.events.model import IssueCommentEvent, ReviewCommentEvent, ReviewEvent
from assay.github_app.commands.answering import answer
from assay.github_app.learning.extract.asking import ask_learning, ask_learning_of_review
from assay.github_app.runtime.context import Context


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
