"""Comments: some begin with a command, and any of them may teach something, or no more what it taught."""

from __future__ import annotations

from assay.github.events.model import IssueCommentEvent, ReviewCommentEvent, ReviewEvent
from assay.github_app.commands.answering import answer
from assay.github_app.learning.extract.asking import ask_learning, ask_learning_of_review
from assay.github_app.runtime.context import Context


def on_issue_comment(event: IssueCommentEvent, context: Context) -> None:
    """In the conversation of a pull request. Commands count in fresh comments alone, what is taught follows edits."""
    if event.is_pull and event.about.repository is not None:
        ask_learning(context, event.about.repository.id, event.comment, event.about.delivery_id)
    if event.is_pull and event.about.action == "created":
        answer(event, context)


def on_review_comment(event: ReviewCommentEvent, context: Context) -> None:
    """On a line of its diff."""
    if event.about.repository is not None:
        ask_learning(context, event.about.repository.id, event.comment, event.about.delivery_id)
    if event.about.action == "created":
        answer(event, context)


def on_review(event: ReviewEvent, context: Context) -> None:
    """The text above a review's comments; most reviews have none, and one that lost its text is looked at again."""
    if event.about.repository is not None and (event.review.body.strip() or event.about.action == "edited"):
        ask_learning_of_review(context, event.about.repository.id, event.review, event.about.delivery_id)
