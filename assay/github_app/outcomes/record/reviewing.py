"""Activity of reviewers: reviews, comments on lines and in the conversation, resolved threads."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from assay.github.events.model import (
    About,
    CommentFacts,
    IssueCommentEvent,
    Person,
    ReviewCommentEvent,
    ReviewEvent,
    ReviewThreadEvent,
)
from assay.github_app.outcomes.record.endings import record_end
from assay.github_app.outcomes.record.pull_life import DEFAULT_WEB_URL, see_pull, task_of
from assay.github_app.store import EventKind, Store


def record_review(event: ReviewEvent, store: Store, at: datetime, web_url: str = DEFAULT_WEB_URL) -> None:
    """Store a review and its log entries; ignore one that is not submitted yet."""
    repository, pull, review = event.about.repository, event.pull, event.review
    if repository is None or review.state == "pending":
        return
    see_pull(store, repository, pull, at, web_url=web_url)
    record_end(store, repository.id, pull, at, task_of(pull))
    editor = _editor(event.about, review.reviewer)
    store.reviews.put_review(repository.id, pull.number, review, at, version_at=pull.updated_at, edited_by=editor)
    is_dismissed = review.state == "dismissed"
    kind = EventKind.review_dismissed if is_dismissed else EventKind.review_submitted
    moment = (pull.updated_at if is_dismissed else review.submitted_at) or at
    data = {
        "review_id": review.id,
        "reviewer": review.reviewer.login,
        "is_bot": review.reviewer.is_bot,
        "is_by_pull_author": review.reviewer.login == pull.author.login,
        "association": review.association,
        "commit_sha": review.commit_sha,
        **({} if is_dismissed else {"state": review.state}),
    }
    key = f"{repository.id}:{review.id}"
    if event.about.action == "edited":
        return
    store.events.append(kind, key, moment, repository.id, pull.number, task_of(pull), data)


def record_comment(event: ReviewCommentEvent, store: Store, at: datetime, web_url: str = DEFAULT_WEB_URL) -> None:
    """Store a comment on a line and its log entries."""
    repository, pull, comment = event.about.repository, event.pull, event.comment
    if repository is None:
        return
    see_pull(store, repository, pull, at, web_url=web_url)
    record_end(store, repository.id, pull, at, task_of(pull))
    is_deleted = event.about.action == "deleted"
    place = (repository.id, pull.number)
    editor = _editor(event.about, comment.author)
    store.reviews.put_comment(*place, comment, at, pull_author=pull.author, is_deleted=is_deleted, edited_by=editor)
    if event.about.action == "created":
        data = {"kind": "line", "path": comment.path, **_who(comment, pull.author)}
        key = f"{repository.id}:line:{comment.id}"
        moment = comment.created_at or at
        store.events.append(EventKind.comment_made, key, moment, *place, task_of(pull), data)


def record_issue_comment(event: IssueCommentEvent, store: Store, at: datetime) -> None:
    """Store a comment in a pull request's conversation and its log entries; skip issues."""
    repository, comment = event.about.repository, event.comment
    if repository is None or not event.is_pull:
        return
    is_deleted = event.about.action == "deleted"
    place = (repository.id, event.number)
    editor = _editor(event.about, comment.author)
    store.reviews.put_comment(
        *place, comment, at, pull_author=event.pull_author, is_deleted=is_deleted, edited_by=editor
    )
    if event.about.action == "created":
        data = {"kind": "conversation", **_who(comment, event.pull_author)}
        key = f"{repository.id}:conversation:{comment.id}"
        store.events.append(EventKind.comment_made, key, comment.created_at or at, *place, None, data)


def record_thread(event: ReviewThreadEvent, store: Store, at: datetime, web_url: str = DEFAULT_WEB_URL) -> None:
    """Store that a thread was resolved or reopened."""
    repository, pull = event.about.repository, event.pull
    if repository is None:
        return
    see_pull(store, repository, pull, at, web_url=web_url)
    is_resolved = event.about.action == "resolved"
    moment = pull.updated_at or at
    place = (repository.id, pull.number)
    store.reviews.put_thread(*place, event.thread_node_id, event.comment_ids, moment, is_resolved=is_resolved)
    kind = EventKind.thread_resolved if is_resolved else EventKind.thread_reopened
    data = {"thread": event.thread_node_id, "by": event.about.sender.login if event.about.sender else None}
    key = f"{repository.id}:{event.thread_node_id}:{moment.isoformat()}"
    store.events.append(kind, key, moment, *place, task_of(pull), data)


def _editor(about: About, author: Person) -> str | None:
    """Return the account that edited the text, if not its author; users with write access may edit any comment."""
    sender = about.sender
    if about.action != "edited" or sender is None:
        return None
    if sender.id is not None and author.id is not None:
        return None if sender.id == author.id else sender.login
    return None if sender.login.lower() == author.login.lower() else sender.login


def _who(comment: CommentFacts, pull_author: Person) -> dict[str, Any]:
    return {
        "comment_id": comment.id,
        "author": comment.author.login,
        "is_bot": comment.author.is_bot or comment.app_id is not None,
        "is_by_pull_author": comment.author.login == pull_author.login,
        "association": comment.association,
        "in_reply_to": comment.in_reply_to,
        "review_id": comment.review_id,
    }
