"""Review rounds: how often reviewers had to ask, and the author had to push again.

A round is a review with findings by a person, then a push, then a review or the merge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.github_app.store import CommentRow, HeadRow, PullRow, ReviewRow, Store

_SAYS_NO = "changes_requested"


@dataclass(frozen=True, slots=True)
class Round:
    """Review round: first reviewer and time, the push that answered, and its end (`review` or `merge`)."""

    reviewer: str
    asked_at: datetime
    pushed_at: datetime
    closed_at: datetime
    closed_by: str


def rounds(store: Store, repository_id: int, number: int) -> tuple[Round, ...]:
    """Return the finished rounds of a pull request, in order."""
    pull = store.pulls.get(repository_id, number)
    if pull is None:
        return ()
    return rounds_of(
        pull,
        store.pulls.heads(repository_id, number),
        store.reviews.reviews(repository_id, number),
        store.reviews.comments(repository_id, number, of_people=True),
    )


def rounds_of(
    pull: PullRow, heads: Sequence[HeadRow], reviews: Sequence[ReviewRow], comments: Sequence[CommentRow]
) -> tuple[Round, ...]:
    """Return the finished rounds from the given rows; bots and the pull request's author do not count as reviewers.

    A review has findings if it requests changes, or has a comment that opens a thread on a line.
    """
    opening = {comment.review_id for comment in comments if comment.kind == "line" and comment.in_reply_to is None}
    happened: list[tuple[datetime, int, ReviewRow | None]] = [
        (review.submitted_at or review.version_at, 1, review)
        for review in reviews
        if not review.is_bot and review.reviewer != pull.author
    ]
    # Within one second, a push precedes its review, and the merge is last.
    happened += [(head.pushed_at, 0, None) for head in heads[1:]]
    if pull.merged_at is not None:
        happened.append((pull.merged_at, 2, None))
    return tuple(_walk(happened, opening))


def _walk(happened: list[tuple[datetime, int, ReviewRow | None]], opening: set[int | None]) -> list[Round]:
    found: list[Round] = []
    asked: tuple[str, datetime] | None = None
    pushed_at: datetime | None = None
    for at, kind, review in sorted(happened, key=lambda one: (one[0], one[1], one[2].review_id if one[2] else 0)):
        if kind == 0:
            pushed_at = pushed_at or (at if asked else None)
            continue
        if asked and pushed_at:
            found.append(Round(*asked, pushed_at, at, "review" if review else "merge"))
            asked = pushed_at = None
        if review and asked is None and has_findings(review, opening):
            asked = (review.reviewer, at)
    return found


def has_findings(review: ReviewRow, opening: set[int | None]) -> bool:
    """Return whether a review asks for changes; `opening` has the ids of reviews that open a thread."""
    return requests_changes(review) or review.review_id in opening


def requests_changes(review: ReviewRow) -> bool:
    """Return whether a review requested changes when it was submitted, also if it was dismissed later."""
    return (review.first_state or review.state) == _SAYS_NO
