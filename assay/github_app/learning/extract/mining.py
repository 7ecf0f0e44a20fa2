"""Mine a repository's past review comments for candidate rules: what was asked for, by whom, and where.

Mining stores nothing and creates no rules; it shows what could have been learned. Comments are read in chronological
order. Each joins the candidate whose first comment it repeats, by the comparison that also detects repeats, or starts a
new one. Comparing only with the first comment prevents chains of small steps that would put a whole review into one
group.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from assay.github_app.learning.extract.comments import is_command
from assay.github_app.learning.extract.past_comments import GHOST, PastComment
from assay.github_app.rule_matching import CanonicalRule, CommentText, canonical_rule, nearest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.embedding.embedder import Embedder

NUM_COMPARED = 30
"""Maximum candidates, nearest in meaning, that a comment is compared with; comparing with thousands takes hours."""

_EARLIEST = datetime.min.replace(tzinfo=UTC)
NO_RULE = "no rule in it"
OF_AUTHOR = "by the author of the pull request"


@dataclass(frozen=True, slots=True)
class Candidate:
    """Candidate rule, worded after the most central comment; comments are oldest first."""

    rule: CanonicalRule
    comments: tuple[PastComment, ...]

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Reviewers who asked for it, most frequent first; deleted accounts count as one."""
        return tuple(login for login, _ in Counter(comment.author for comment in self.comments).most_common())

    @property
    def pulls(self) -> tuple[int, ...]:
        """Numbers of the pull requests with a comment, in order."""
        return tuple(sorted({comment.pull for comment in self.comments}))

    @property
    def first_at(self) -> datetime | None:
        """Time of the first comment, if any comment has a time."""
        return min((one.created_at for one in self.comments if one.created_at), default=None)

    @property
    def last_at(self) -> datetime | None:
        """Time of the last comment."""
        return max((one.created_at for one in self.comments if one.created_at), default=None)


@dataclass(frozen=True, slots=True)
class MiningResult:
    """All candidates, those on the most pull requests first, and the number of skipped comments by reason."""

    candidates: tuple[Candidate, ...]
    num_read: int
    left_out: Mapping[str, int]


def mine(
    comments: Iterable[PastComment], embedder: Embedder, progress: Callable[[int, int], None] | None = None
) -> MiningResult:
    """Group past comments by their rule.

    `progress` is called with the number of comments read and their total. Raises `EmbeddingUnavailable` if comments
    cannot be compared.
    """
    read = sorted(comments, key=lambda one: one.created_at or _EARLIEST)
    began = {one.id: one.author for one in read if one.id is not None and one.in_reply_to is None}
    left_out: Counter[str] = Counter()
    groups = _Groups(embedder)
    for done, comment in enumerate(read, start=1):
        why = _why_not(comment, began)
        rule = None if why else canonical_rule(CommentText(comment.body, comment.path, comment.diff_hunk))
        if rule is not None:
            groups.add(comment, rule)
        else:
            left_out[why or NO_RULE] += 1
        if progress is not None:
            progress(done, len(read))
    return MiningResult(groups.candidates(), len(read), dict(left_out.most_common()))


def _why_not(comment: PastComment, began: Mapping[int, str]) -> str | None:
    """Return why a comment is skipped, by the criteria of `comments` as far as past data has them."""
    if not comment.body.strip():
        return "empty"
    if comment.is_by_bot:
        return "by a machine"
    if comment.pull_author is not None and comment.author.lower() == comment.pull_author.lower() != GHOST:
        return OF_AUTHOR
    if is_command(comment.body):
        return "a command"
    if comment.in_reply_to is not None and began.get(comment.in_reply_to) != comment.author:
        return "an answer in another author's thread"
    return None


@dataclass(slots=True)
class _Group:
    first: CanonicalRule
    said: list[tuple[PastComment, CanonicalRule]]


class _Groups:
    """Groups of comments, built incrementally."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = _Remembering(embedder)
        self._groups: list[_Group] = []
        self._texts: list[NDArray[np.float32]] = []
        self._said: list[NDArray[np.float32]] = []

    def add(self, comment: PastComment, rule: CanonicalRule) -> None:
        text, said = self._embedder.embed([rule.text, rule.said or rule.text])
        group = self._same(rule, text, said)
        if group is None:
            group = _Group(rule, [])
            self._groups.append(group)
            self._texts.append(text)
            self._said.append(said)
        group.said.append((comment, rule))

    def _same(self, rule: CanonicalRule, text: NDArray[np.float32], said: NDArray[np.float32]) -> _Group | None:
        import numpy as np

        if not self._groups:
            return None
        nearness = np.maximum(np.stack(self._texts) @ text, np.stack(self._said) @ said)
        near = [self._groups[place] for place in np.argsort(-nearness, kind="stable")[:NUM_COMPARED]]
        likest = nearest(rule, [group.first for group in near], self._embedder, k=1)
        return next((group for one in likest if one.same for group in near if group.first is one.rule_b), None)

    def candidates(self) -> tuple[Candidate, ...]:
        found = [Candidate(self._middle(group), tuple(comment for comment, _ in group.said)) for group in self._groups]
        return tuple(sorted(found, key=_rank))

    def _middle(self, group: _Group) -> CanonicalRule:
        """Return the rule of the comment most similar to the others in its group; on a tie, the oldest."""
        rules = [rule for _, rule in group.said]
        if len(rules) < 3:
            return rules[0]
        rows = self._embedder.embed([rule.said or rule.text for rule in rules])
        return rules[int((rows @ rows.T).sum(axis=1).round(5).argmax())]


def _rank(candidate: Candidate) -> tuple[int, int, int, str]:
    return -len(candidate.pulls), -len(candidate.reviewers), -len(candidate.comments), candidate.rule.text


class _Remembering:
    """Embedder that caches every text, because each new comment is compared with all candidates."""

    def __init__(self, embedder: Embedder) -> None:
        self.name = embedder.name
        self._embedder = embedder
        self._rows: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        new = list(dict.fromkeys(text for text in texts if text not in self._rows))
        if new:
            self._rows.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._rows[text] for text in texts]) if texts else self._embedder.embed([])
