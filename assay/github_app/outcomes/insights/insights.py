"""Search for insights by words and by embedding, with both lists merged by rank.

Ranks are merged by reciprocal rank fusion: each list contributes 1
(60 + rank), because the scores of the two lists are not comparable.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.embedding.embedder import EmbeddingUnavailable
from assay.github_app.store import InsightRow, Store

if TYPE_CHECKING:
    from assay.embedding.embedder import Embedder

FUSION = 60
MOST_EMBEDDED = 500
"""Maximum insights embedded by one search or job; the rest wait for the next."""
MOST_CHARS = 2000
"""Maximum characters of an insight that are embedded."""
NEAREST = 0.25
"""Cosine below which a text is unrelated to a question."""
_log = logging.getLogger(__name__)


def find_insights(
    store: Store,
    repository_id: int,
    question: str,
    *,
    embedder: Embedder | None = None,
    limit: int = 10,
    insight_type: str | None = None,
    is_trusted: bool | None = True,
) -> tuple[InsightRow, ...]:
    """Return the insights most relevant to a question, best first; by words alone without an embedder."""
    deep = max(50, limit * 3)
    worded = store.insights.with_words(repository_id, question, deep, insight_type=insight_type, is_trusted=is_trusted)
    by_words = [row.id for row in worded]
    by_meaning = _by_meaning(store, repository_id, question, embedder, deep, insight_type, is_trusted)
    scores: dict[str, float] = defaultdict(float)
    for ranked in (by_words, by_meaning):
        for rank, insight_id in enumerate(ranked):
            scores[insight_id] += 1 / (FUSION + rank)
    best = sorted(scores, key=lambda one: (-scores[one], one))[:limit]
    return store.insights.with_ids(best)


def embed_insights(store: Store, embedder: Embedder, repository_id: int | None = None) -> int:
    """Embed the insights this embedder has not embedded yet and return their number.

    Raises `EmbeddingUnavailable`.
    """
    rows = store.insights.without_vector(embedder.name, MOST_EMBEDDED, repository_id)
    if not rows:
        return 0
    vectors = embedder.embed([row.text[:MOST_CHARS] for row in rows])
    store.insights.put_vectors(
        embedder.name, ((row.id, vector.astype("<f4").tobytes()) for row, vector in zip(rows, vectors, strict=True))
    )
    return len(rows)


def _by_meaning(
    store: Store,
    repository_id: int,
    question: str,
    embedder: Embedder | None,
    limit: int,
    insight_type: str | None,
    is_trusted: bool | None,
) -> Sequence[str]:
    if embedder is None:
        return ()
    import numpy as np

    try:
        embed_insights(store, embedder, repository_id)
        asked = embedder.embed([question[:MOST_CHARS]])[0]
    except EmbeddingUnavailable as error:
        _log.warning("searching insights by words alone: %s", error)
        return ()
    known = store.insights.vectors(repository_id, embedder.name, insight_type=insight_type, is_trusted=is_trusted)
    known = tuple((one, data) for one, data in known if len(data) == 4 * len(asked))
    if not known:
        return ()
    near = np.stack([np.frombuffer(data, dtype="<f4") for _, data in known]) @ asked
    order = np.argsort(-near, kind="stable")[:limit]
    return [known[place][0] for place in order if near[place] >= NEAREST]
