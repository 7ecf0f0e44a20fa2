"""Recurring themes: what agents report as missing, clustered by meaning, per repository.

Answers are split into statements. Their similarity combines embeddings with tf-idf of stems, and average linkage
clusters them. A theme needs at least two tasks; a single report is an anecdote.
"""

from __future__ import annotations

import logging
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from assay.embedding.embedder import EmbeddingUnavailable
from assay.github_app.outcomes.record.feedback import UNCONFIRMED
from assay.github_app.store import InsightRow, InsightType, Store
from assay.validators import as_visible

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.embedding.embedder import Embedder

MOST_INSIGHTS = 500
MOST_STATEMENTS = 600
MOST_OF_ONE = 12
"""Maximum statements per answer, so that a long one does not dominate."""
MOST_CHARS = 300
FEWEST_TASKS = 2
NEAR = 0.36
"""Mean similarity from which two clusters are merged; derived in docs/learning/feedback.md."""
NEAR_BY_WORDS = 0.25
"""The same threshold without an embedder, because word similarity is lower."""
_MEANING = 0.6
"""Weight of embeddings in the similarity; words have the rest."""
_BULLET = re.compile(r"^[ \t]{0,8}(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])")
_WORD = re.compile(r"[^\W_]{2,40}")
_LEAD = re.compile(
    r"^(?:i (?:needed|need|wanted|had|would have liked|wish(?:ed)? i had known|did(?:n't| not) know)"
    r"|it (?:would have|would've|might have|was) (?:been )?(?:helped|helpful|useful|unclear|not clear|nice)"
    r"|missing|unclear|lacked"
    r"|(?:there was )?no (?:information|documentation|mention|hint)(?: on| about| of)?)"
    r"[\s:,]*(?:to (?:know|be told|see|have)|if i had known|knowing|that|about)?[\s:,]*(?:that |about )?",
    re.IGNORECASE,
)
_STOP = frozenset(
    "the a an and or of to in on for is are was were be been it its this that these those with by from at as i we you "
    "have has had not no would could should need needed know known how what which where when there here do does did "
    "about more".split()
)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Theme:
    """Need that several tasks reported. `title` is the most central statement, `proposal` a line for instructions."""

    title: str
    proposal: str
    num_insights: int
    num_tasks: int
    first_at: datetime
    last_at: datetime
    insight_ids: tuple[str, ...]
    statements: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Statement:
    text: str
    row: InsightRow

    @property
    def task(self) -> str:
        return self.row.task_id or f"#{self.row.number}"


def themes_of(
    store: Store,
    repository_id: int,
    *,
    embedder: Embedder | None = None,
    since: datetime | None = None,
    is_for_people: bool = False,
) -> tuple[Theme, ...]:
    """Return the themes in a repository's newest confirmed feedback, those of the most tasks first.

    `is_for_people` includes answers that wait for a maintainer, without those that have a sign of injection.
    """
    newest = store.insights.newest(
        repository_id,
        MOST_INSIGHTS,
        insight_type=InsightType.agent_self_feedback,
        is_trusted=None if is_for_people else True,
    )
    rows = [
        row for row in newest if (row.is_trusted or row.why_not == UNCONFIRMED) and (since is None or row.at >= since)
    ]
    stated = [_Statement(text, row) for row in rows for text in statements(row.text)][:MOST_STATEMENTS]
    if len(stated) < FEWEST_TASKS:
        return ()
    near, cut = _nearness([one.text for one in stated], embedder)
    found = [_theme([stated[place] for place in group], near, group) for group in _groups(near, cut)]
    lasting = [theme for theme in found if theme.num_tasks >= FEWEST_TASKS]
    return tuple(sorted(lasting, key=lambda one: (-one.num_tasks, -one.num_insights, one.title)))


def statements(answer: str) -> tuple[str, ...]:
    """Split an answer into statements: its bullets, or the sentences of its paragraphs."""
    found = []
    for line in answer.splitlines():
        bare = _BULLET.sub("", line).strip()
        parts = [bare] if bare != line.strip() else _SENTENCE.split(bare)
        found += [as_visible(part, MOST_CHARS) for part in parts if len(_WORD.findall(part)) >= 3]
    return tuple(dict.fromkeys(found))[:MOST_OF_ONE]


def as_instruction(statement: str) -> str:
    """Turn "X was missing" into "X", by dropping the lead-in."""
    bare = _LEAD.sub("", statement, count=1).strip() or statement
    return bare[0].upper() + bare[1:] if bare else ""


def _theme(stated: Sequence[_Statement], near: NDArray[np.float32], group: Sequence[int]) -> Theme:
    inner = near[list(group)][:, list(group)]
    middle = stated[int(inner.sum(axis=1).argmax())].text
    times = [one.row.at for one in stated]
    return Theme(
        title=middle,
        proposal=as_instruction(middle),
        num_insights=len({one.row.id for one in stated}),
        num_tasks=len({one.task for one in stated}),
        first_at=min(times),
        last_at=max(times),
        insight_ids=tuple(sorted({one.row.id for one in stated})),
        statements=tuple(dict.fromkeys(one.text for one in stated))[:20],
    )


def _nearness(texts: Sequence[str], embedder: Embedder | None) -> tuple[NDArray[np.float32], float]:
    """Return the pairwise similarity (0..1) and the merge threshold; by words alone without an embedder."""
    words = _by_words(texts)
    if embedder is None:
        return words, NEAR_BY_WORDS
    try:
        rows = embedder.embed(texts)
    except EmbeddingUnavailable as error:
        _log.warning("clustering themes by words alone: %s", error)
        return words, NEAR_BY_WORDS
    meaning: NDArray[np.float32] = (rows @ rows.T).clip(0, 1)
    return _MEANING * meaning + (1 - _MEANING) * words, NEAR


def _by_words(texts: Sequence[str]) -> NDArray[np.float32]:
    import numpy as np

    counts = [Counter(_stems(text)) for text in texts]
    seen = Counter(stem for count in counts for stem in count)
    places = {stem: place for place, stem in enumerate(seen)}
    rows = np.zeros((len(texts), max(1, len(places))), dtype=np.float32)
    for row, count in enumerate(counts):
        for stem, times in count.items():
            rows[row, places[stem]] = times * (math.log((1 + len(texts)) / (1 + seen[stem])) + 1)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.where(length == 0, 1, length)
    near: NDArray[np.float32] = rows @ rows.T
    return near


def _stems(text: str) -> Iterable[str]:
    import snowballstemmer

    words = [word for word in _WORD.findall(text.lower()) if word not in _STOP]
    stems: list[str] = snowballstemmer.stemmer("english").stemWords(words)
    return stems


def _groups(near: NDArray[np.float32], cut: float) -> list[list[int]]:
    """Cluster by average linkage: merge the two most similar clusters until none reaches the threshold."""
    import numpy as np

    linked = near.astype(np.float64).copy()
    np.fill_diagonal(linked, -1.0)
    groups: list[list[int]] = [[place] for place in range(len(near))]
    while True:
        first, second = divmod(int(linked.argmax()), len(near))
        if linked[first, second] < cut:
            return [group for group in groups if group]
        mine, other = len(groups[first]), len(groups[second])
        merged = (linked[first] * mine + linked[second] * other) / (mine + other)
        linked[first], linked[:, first] = merged, merged
        linked[second], linked[:, second] = -1.0, -1.0
        linked[first, first] = -1.0
        for place, group in enumerate(groups):
            if not group:
                linked[first, place] = linked[place, first] = -1.0
        groups[first] += groups[second]
        groups[second] = []
        linked[first, second] = linked[second, first] = -1.0
