"""Review rounds: how often people had to ask, and the author had to push again.

A round is a review with findings by a person, followed by a new push, followed by a review or the merge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.github_app.store import CommentRow, HeadRow, PullRow, ReviewRow, Store

_SAYS_NO = "changes_requested"


@dataclass(frozen=True, slots=True)
class Round:
    """One round: who asked first and when, the push that answered, and what closed it (`review` or `merge`)."""

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
    """The same from facts at hand. Bots and the pull request's own author do not review.

    A review has findings when it requests changes, or brings at least one comment on a line that opens a thread.
    """
    opening = {comment.review_id for comment in comments if comment.kind == "line" and comment.in_reply_to is None}
    happened: list[tuple[datetime, int, ReviewRow | None]] = [
        (review.submitted_at or review.version_at, 1, review)
        for review in reviews
        if not review.is_bot and review.reviewer != pull.author
    ]
    # Within a second, the push comes before the review of it, and the merge last.
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
    """Whether a review asks for something; `opening` are the ids of reviews with a comment that opens a thread."""
    return (review.first_state or review.state) == _SAYS_NO or review.review_id in opening
