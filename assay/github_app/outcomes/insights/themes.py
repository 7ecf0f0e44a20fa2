"""Recurring themes: what agents say they lacked, put together where it means the same, per repository.

An answer is cut into statements; statements are near by their meaning (an embedder) and their words (tf-idf of stems),
and gathered by average linkage. A theme is what came up in at least two tasks: once is an anecdote.
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
from assay.github_app.store import InsightRow, InsightType, Store
from assay.validators import as_visible

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.embedding.embedder import Embedder

MOST_INSIGHTS = 500
MOST_STATEMENTS = 600
MOST_OF_ONE = 12
"""Statements taken from one answer: a long one must not drown the others."""
MOST_CHARS = 300
FEWEST_TASKS = 2
NEAR = 0.36
"""Mean nearness from which two groups are one; see docs/learning/feedback.md for where it comes from."""
NEAR_BY_WORDS = 0.25
"""The same where nothing embeds: words alone are never as near."""
_MEANING = 0.6
"""The share of meaning in nearness; the rest is that of words."""
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
    """Something several tasks lacked. `title` is the statement nearest to all, `proposal` a line for instructions."""

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
    store: Store, repository_id: int, *, embedder: Embedder | None = None, since: datetime | None = None
) -> tuple[Theme, ...]:
    """The themes of a repository's newest feedback that is trusted, those of the most tasks first."""
    rows = store.insights.newest(repository_id, MOST_INSIGHTS, insight_type=InsightType.agent_self_feedback)
    told = [_Statement(text, row) for row in rows if since is None or row.at >= since for text in statements(row.text)][
        :MOST_STATEMENTS
    ]
    if len(told) < FEWEST_TASKS:
        return ()
    near, cut = _nearness([one.text for one in told], embedder)
    found = [_theme([told[place] for place in group], near, group) for group in _groups(near, cut)]
    lasting = [theme for theme in found if theme.num_tasks >= FEWEST_TASKS]
    return tuple(sorted(lasting, key=lambda one: (-one.num_tasks, -one.num_insights, one.title)))


def statements(answer: str) -> tuple[str, ...]:
    """The single statements of an answer: its bullets, or the sentences of its paragraphs."""
    found = []
    for line in answer.splitlines():
        bare = _BULLET.sub("", line).strip()
        parts = [bare] if bare != line.strip() else _SENTENCE.split(bare)
        found += [as_visible(part, MOST_CHARS) for part in parts if len(_WORD.findall(part)) >= 3]
    return tuple(dict.fromkeys(found))[:MOST_OF_ONE]


def as_instruction(statement: str) -> str:
    """A statement of something missing as a statement of it: what it begins with to say so is left out."""
    bare = _LEAD.sub("", statement, count=1).strip() or statement
    return bare[0].upper() + bare[1:] if bare else ""


def proposal_of(themes: Sequence[Theme]) -> str:
    """Text for an instruction file, to be looked through by a person: one line for each theme."""
    lines = [f"- {theme.proposal} (lacked in {theme.num_tasks} tasks)" for theme in themes]
    return "\n".join(["## What agents lacked here", "", *lines, ""]) if lines else ""


def _theme(told: Sequence[_Statement], near: NDArray[np.float32], group: Sequence[int]) -> Theme:
    inner = near[list(group)][:, list(group)]
    middle = told[int(inner.sum(axis=1).argmax())].text
    times = [one.row.at for one in told]
    return Theme(
        title=middle,
        proposal=as_instruction(middle),
        num_insights=len({one.row.id for one in told}),
        num_tasks=len({one.task for one in told}),
        first_at=min(times),
        last_at=max(times),
        insight_ids=tuple(sorted({one.row.id for one in told})),
        statements=tuple(dict.fromkeys(one.text for one in told))[:20],
    )


def _nearness(texts: Sequence[str], embedder: Embedder | None) -> tuple[NDArray[np.float32], float]:
    """(how near each two are, in 0..1, from what on they are one); by words alone where nothing embeds."""
    words = _by_words(texts)
    if embedder is None:
        return words, NEAR_BY_WORDS
    try:
        rows = embedder.embed(texts)
    except EmbeddingUnavailable as error:
        _log.warning("themes are gathered by words alone: %s", error)
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
    """Average linkage: the two nearest groups become one, until none are near."""
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
