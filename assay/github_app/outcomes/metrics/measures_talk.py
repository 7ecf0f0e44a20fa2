"""Review activity of a pull request: comments that ask for a change, threads, and the time of the first review.

Comments of bots and of the pull request's author do not count, nor do questions and praise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from datetime import datetime

from assay.github_app.outcomes.record.review_rounds import requests_changes
from assay.github_app.rule_matching import Intent, intent
from assay.github_app.store import CommentRow, PullHistory, ReviewRow

_COMMAND = "/assay"

MOST_KNOWN = 200_000
"""Maximum texts with a cached intent; each takes a third of a millisecond, and metrics are requested repeatedly."""
_known: dict[bytes, bool] = {}


def num_asking(history: PullHistory) -> int:
    """Count the comments of people that ask for a change: on lines, in the conversation, in review summaries."""
    return sum(_asks(words) for words in _words(history))


def num_comments(history: PullHistory) -> int:
    """Count the comments of people, whatever they say: on lines, in the conversation, in review summaries."""
    return sum(bool(words.strip()) for words in _words(history))


def num_revision_requests(history: PullHistory) -> int:
    """Count the reviews of people that request changes; dismissed ones too, as they were submitted."""
    return sum(map(requests_changes, _reviews_of_people(history)))


def threads_opened(history: PullHistory) -> tuple[CommentRow, ...]:
    """Return the comments of people that open a thread on a line."""
    return tuple(one for one in _of_people(history) if one.kind == "line" and one.in_reply_to is None)


def num_resolved(history: PullHistory, threads: Collection[CommentRow]) -> int:
    """Count the resolved threads; without a stored resolution a thread is unresolved."""
    resolved = {thread.root_comment_id for thread in history.threads if thread.is_resolved}
    return sum(one.comment_id in resolved for one in threads)


def first_look_at(history: PullHistory) -> datetime | None:
    """Return the time of the first review or comment by a person."""
    times = [one.submitted_at for one in _reviews_of_people(history) if one.submitted_at is not None]
    times += [one.created_at for one in _of_people(history) if one.created_at is not None]
    return min(times, default=None)


def _asks(words: str) -> bool:
    # Keyed by a digest, because the texts may be long and are untrusted.
    key = hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    known = _known.get(key)
    if known is None:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        known = _known[key] = intent(words) is Intent.asks
    return known


def _words(history: PullHistory) -> Iterator[str]:
    yield from (one.body for one in _reviews_of_people(history) if one.body.strip())
    yield from (one.body for one in _of_people(history))


def _reviews_of_people(history: PullHistory) -> Iterator[ReviewRow]:
    return (one for one in history.reviews if not one.is_bot and one.reviewer != history.pull.author)


def _of_people(history: PullHistory) -> Iterator[CommentRow]:
    """Yield the comments that count, without commands to Assay."""
    for one in history.comments:
        if not one.is_bot and one.author != history.pull.author and not one.body.lstrip().startswith(_COMMAND):
            yield one
