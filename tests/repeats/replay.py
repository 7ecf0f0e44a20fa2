"""Replay a repository's past review comments: what Assay would have answered, and what it would have offered.

With confirmed rules, a comment that is nearly equal to one on a later pull request is answered in public. For any other
comment the nearest rule is offered to a person.
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
from assay.github_app.learning.match.comparing import SUGGESTED
from assay.github_app.rule_matching import CommentText, Nearest, StatedRule, asked_for, is_nearly_equal

if TYPE_CHECKING:
    from assay.embedding.embedder import Embedder


class Join(StrEnum):
    """What a repeat leads to: a public answer, or an offer to a person."""

    public = "public"
    queue = "queue"


@dataclass(frozen=True, slots=True)
class Repeat:
    """Comment that repeats a rule, with the first comment that asked for it, if there is one."""

    comment: PastComment
    rule: StatedRule
    first: PastComment | None
    join: Join
    score: float

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
    confirmed: Sequence[StatedRule],
    embedder: Embedder,
    progress: Callable[[int, int], None] | None = None,
) -> Replay:
    """Replay comments in order against confirmed rules.

    The first comment on a confirmed rule is its origin and no repeat. `progress` is called with the number of comments
    replayed and their total. Raises `EmbeddingUnavailable` if comments cannot be compared.
    """
    read, began = in_order(comments)
    left_out: Counter[str] = Counter()
    nearest, texts = Nearest(embedder), [rule.text for rule in confirmed]
    origins: dict[int, PastComment] = {}
    repeats: list[Repeat] = []
    num_asking = 0
    for done, comment in enumerate(read, start=1):
        why = why_not_mined(comment, began)
        rule = None if why else asked_for(CommentText(comment.body, comment.path, comment.diff_hunk))
        if progress is not None:
            progress(done, len(read))
        if rule is None:
            left_out[why or NO_RULE] += 1
            continue
        num_asking += 1
        scores = nearest.scores(rule.said, texts)
        place = max(range(len(texts)), key=scores.__getitem__, default=-1)
        if place < 0 or scores[place] < SUGGESTED:
            continue
        is_public = is_nearly_equal(rule.said, texts[place], scores[place])
        origin = origins.setdefault(place, comment) if is_public else origins.get(place)
        if not is_public or (origin is not None and origin.pull != comment.pull):
            join = Join.public if is_public else Join.queue
            repeats.append(Repeat(comment, confirmed[place], origin, join, round(scores[place], 3)))
    return Replay(tuple(repeats), num_asking + left_out[NO_RULE], dict(left_out.most_common()))
