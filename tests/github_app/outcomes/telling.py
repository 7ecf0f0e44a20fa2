"""Events as GitHub tells them, for these tests."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from assay.github.events.model import (
    About,
    CheckRunEvent,
    CommentFacts,
    IssueCommentEvent,
    Person,
    PullFacts,
    PullRequestEvent,
    PushedCommit,
    PushEvent,
    ReviewCommentEvent,
    ReviewEvent,
    ReviewFacts,
    ReviewThreadEvent,
)
from tests.github_app.remembering import AUTHOR, REPOSITORY, REVIEWER, check


def about(event: str, action: str = "", sender: Person | None = REVIEWER) -> About:
    return About(event, action, "d0", REPOSITORY, 42, sender)


def pulled(action: str, pull: PullFacts, before: str | None = None) -> PullRequestEvent:
    return PullRequestEvent(about("pull_request", action), pull, before=before)


def reviewed(pull: PullFacts, review: ReviewFacts, action: str = "submitted") -> ReviewEvent:
    return ReviewEvent(about("pull_request_review", action), pull, review)


def commented(pull: PullFacts, comment: CommentFacts, action: str = "created") -> ReviewCommentEvent:
    return ReviewCommentEvent(about("pull_request_review_comment", action), pull, comment)


def talked(number: int, comment: CommentFacts, action: str = "created", is_pull: bool = True) -> IssueCommentEvent:
    return IssueCommentEvent(about("issue_comment", action), number, is_pull, AUTHOR, comment)


def threaded(pull: PullFacts, action: str, ids: tuple[int, ...] = (31,)) -> ReviewThreadEvent:
    return ReviewThreadEvent(about("pull_request_review_thread", action), pull, "T_1", ids)


def checked(**changes: Any) -> CheckRunEvent:
    facts = check(**changes)
    return CheckRunEvent(about("check_run", "completed"), facts)


def pushed(*commits: tuple[str, str], ref: str = "refs/heads/main") -> PushEvent:
    named = tuple(PushedCommit(sha, message) for sha, message in commits)
    return PushEvent(about("push"), ref, "0" * 40, named[-1].sha, named)


def minutes(time: datetime) -> float:
    """Minutes since the start of the tests."""
    from tests.github_app.remembering import START

    return (time - START).total_seconds() / 60
