"""Enqueue learning from a comment: a durable job, ordered within its repository."""

from __future__ import annotations

from datetime import datetime

from assay.github.events.model import CommentFacts, ReviewFacts
from assay.github_app.learning.extract.comments import KIND
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import Job, Queue

LEARN = "learn_comment"


def ask_learning(context: Context, repository_id: int, comment: CommentFacts, delivery_id: str) -> None:
    """Enqueue learning from a comment in its current text; idempotent per delivery."""
    if comment.author.is_bot or comment.app_id is not None:
        return
    kind = "conversation" if comment.path is None else "line"
    context.queues.put(learning_job(repository_id, kind, comment.id, delivery_id, 1, context.clock()))


def ask_learning_of_review(context: Context, repository_id: int, review: ReviewFacts, delivery_id: str) -> None:
    """Enqueue learning from the summary of a review."""
    if review.reviewer.is_bot or review.state == "pending":
        return
    context.queues.put(learning_job(repository_id, KIND, review.id, delivery_id, 1, context.clock()))


def learning_job(
    repository_id: int,
    kind: str,
    comment_id: int,
    delivery_id: str,
    attempt: int,
    first_at: datetime,
    delay_s: float = 0.0,
) -> Job:
    """Return the job for one comment; `first_at` is the time of the first attempt."""
    name = f"learn:{repository_id}:{kind}:{comment_id}:{delivery_id}:{attempt}"
    arguments = (repository_id, kind, comment_id, delivery_id, attempt, int(first_at.timestamp()))
    return Job(LEARN, name, Queue.learning, arguments, str(repository_id), delay_s)
