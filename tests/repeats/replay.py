"""Replay a repository's past review comments: what Assay would have answered, and what it would have queued.

With confirmed rules, a comment that repeats one on a later pull request is answered in public. Any other comment that
repeats an earlier one joins the queue of candidates.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from assay.github_app.learning.extract.mining import NO_RULE, in_order, why_not_mined
from assay.github_app.learning.extract.past_comments import PastComment
from assay.github_app.rule_matching import (
    CanonicalRule,
    CommentText,
    Comparer,
    Likeness,
    Rarity,
    RuleIndex,
    asked_for,
    starts_rule,
)

if TYPE_CHECKING:
    from assay.embedding.embedder import Embedder


class Join(StrEnum):
    """What a repeat leads to: a public answer, or an entry in the queue."""

    public = "public"
    queue = "queue"


@dataclass(frozen=True, slots=True)
class Repeat:
    """Comment that repeats a rule, with the first comment that asked for it, if there is one."""

    comment: PastComment
    rule: CanonicalRule
    first: PastComment | None
    join: Join
    likeness: Likeness

    @property
    def key(self) -> str:
        """Name of the pair of rule and comment, 16 hex digits; judgements are kept by it."""
        told = f"{self.rule.text}\x00{self.comment.body.strip()}"
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Replay:
    """Repeats in order, the number of comments of reviewers, and the number of skipped comments by reason."""

    repeats: tuple[Repeat, ...]
    num_comments: int
    left_out: Mapping[str, int]

    def per_100(self, join: Join) -> float:
        """Return the repeats of a kind per 100 comments of reviewers."""
        num = sum(one.join is join for one in self.repeats)
        return 100 * num / self.num_comments if self.num_comments else 0.0


def replay(
    comments: Iterable[PastComment],
    confirmed: Sequence[CanonicalRule],
    embedder: Embedder,
    progress: Callable[[int, int], None] | None = None,
) -> Replay:
    """Replay comments in order against confirmed rules and against each other.

    The first comment on a confirmed rule is its origin and no repeat. `progress` is called with the number of comments
    replayed and their total. Raises `EmbeddingUnavailable` if comments cannot be compared.
    """
    read, began = in_order(comments)
    left_out: Counter[str] = Counter()
    asked: list[tuple[PastComment, CanonicalRule]] = []
    for comment in read:
        why = why_not_mined(comment, began)
        rule = None if why else asked_for(CommentText(comment.body, comment.path, comment.diff_hunk))
        if rule is None:
            left_out[why or NO_RULE] += 1
        else:
            asked.append((comment, rule))
    comparer = Comparer(embedder)
    comparer.sides([rule for _, rule in asked])
    rarity = Rarity()
    known, queue = RuleIndex(comparer, confirmed, rarity=rarity), RuleIndex(comparer, rarity=rarity)
    stream = _Stream(known, confirmed, queue)
    for done, (comment, rule) in enumerate(asked, start=1):
        stream.add(comment, rule)
        if progress is not None:
            progress(done, len(asked))
    num_comments = len(asked) + left_out[NO_RULE]
    return Replay(tuple(stream.repeats), num_comments, dict(left_out.most_common()))


class _Stream:
    def __init__(self, known: RuleIndex, confirmed: Sequence[CanonicalRule], queue: RuleIndex) -> None:
        self.repeats: list[Repeat] = []
        self._known, self._confirmed, self._queue = known, confirmed, queue
        self._origins: dict[int, PastComment] = {}
        self._began: list[tuple[PastComment, CanonicalRule]] = []

    def add(self, comment: PastComment, rule: CanonicalRule) -> None:
        near = self._known.nearest(rule, k=1)
        if near and near[0][1].same:
            place, likeness = near[0]
            origin = self._origins.setdefault(place, comment)
            if origin.pull != comment.pull:
                self.repeats.append(Repeat(comment, self._confirmed[place], origin, Join.public, likeness))
            return
        # What is only perhaps a confirmed rule waits for a person, like what repeats an unconfirmed one.
        queued = self._queue.nearest(rule, k=1)
        if near and near[0][1].likely and not (queued and queued[0][1].score > near[0][1].score):
            place, likeness = near[0]
            self.repeats.append(Repeat(comment, self._confirmed[place], self._origins.get(place), Join.queue, likeness))
        elif queued and queued[0][1].likely:
            place, likeness = queued[0]
            first, earlier = self._began[place]
            if first.pull != comment.pull:
                self.repeats.append(Repeat(comment, earlier, first, Join.queue, likeness))
        elif starts_rule(rule):
            self._queue.add([rule])
            self._began.append((comment, rule))
