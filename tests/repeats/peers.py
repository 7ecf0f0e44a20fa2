"""Ways of comparing two comments: the one that ships, and those it has to beat.

Each takes pairs and gives each a score from 0 to 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from assay.embedding.embedder import Embedder, EmbeddingSettings
from assay.embedding.register import EMBEDDERS
from assay.github_app.rule_matching import CommentText, canonical_rule, compare_all
from tests.repeats.labelled import Pair, Split, pairs_of

Scoring = Callable[[Sequence[Pair]], list[float]]

SEEDS_CUT = 0.85
"""The cosine that is named everywhere as the one above which two texts say the same."""


@cache
def embedder() -> Embedder:
    """The one that ships and needs no network."""
    return EMBEDDERS["bundled"](EmbeddingSettings())


def shipped(pairs: Sequence[Pair]) -> list[float]:
    """What `assay rules compare` says."""
    texts = [(CommentText(pair.a), CommentText(pair.b)) for pair in pairs]
    return [likeness.score for likeness in compare_all(texts, embedder())]


def raw_embedding(pairs: Sequence[Pair]) -> list[float]:
    """Cosine of the comments as they stand."""
    return _cosines(embedder().embed([pair.a for pair in pairs]), embedder().embed([pair.b for pair in pairs]))


def canonical_embedding(pairs: Sequence[Pair]) -> list[float]:
    """Cosine of the rules that are read out of them; 0 where one holds none."""
    texts = [(_rule_text(pair.a), _rule_text(pair.b)) for pair in pairs]
    scores = _cosines(embedder().embed([a for a, _ in texts]), embedder().embed([b for _, b in texts]))
    return [score if a and b else 0.0 for score, (a, b) in zip(scores, texts, strict=True)]


def raw_lexical(pairs: Sequence[Pair]) -> list[float]:
    """TF-IDF of groups of three to five characters, of the comments as they stand."""
    return _lexical([(pair.a, pair.b) for pair in pairs], _weights())


def canonical_lexical(pairs: Sequence[Pair]) -> list[float]:
    """The same of the rules that are read out of them."""
    texts = [(_rule_text(pair.a), _rule_text(pair.b)) for pair in pairs]
    return [score if a and b else 0.0 for score, (a, b) in zip(_lexical(texts, _weights()), texts, strict=True)]


PEERS: Mapping[str, Scoring] = {
    "shipped": shipped,
    "embedding, raw": raw_embedding,
    "embedding, canonical": canonical_embedding,
    "lexical, raw": raw_lexical,
    "lexical, canonical": canonical_lexical,
}


@cache
def _rule_text(body: str) -> str:
    rule = canonical_rule(CommentText(body))
    return rule.text if rule else ""


def _cosines(left: NDArray[np.float32], right: NDArray[np.float32]) -> list[float]:
    return [min(1.0, max(0.0, float(score))) for score in np.sum(left * right, axis=1)]


@cache
def _weights() -> Mapping[str, float]:
    """How rare a group of characters is, from the half that is tuned on alone."""
    texts = [text for pair in pairs_of(Split.tuning) for text in (pair.a, pair.b)]
    counts = Counter(group for text in texts for group in set(_groups(text)))
    return {group: float(np.log((1 + len(texts)) / (1 + num)) + 1) for group, num in counts.items()}


def _lexical(texts: Sequence[tuple[str, str]], weights: Mapping[str, float]) -> list[float]:
    return [_cosine(_vector(a, weights), _vector(b, weights)) for a, b in texts]


def _vector(text: str, weights: Mapping[str, float]) -> dict[str, float]:
    unseen = max(weights.values())
    return {group: num * weights.get(group, unseen) for group, num in Counter(_groups(text)).items()}


def _cosine(left: Mapping[str, float], right: Mapping[str, float]) -> float:
    lengths = [float(np.sqrt(sum(value * value for value in one.values()))) for one in (left, right)]
    if not all(lengths):
        return 0.0
    return sum(value * right.get(group, 0.0) for group, value in left.items()) / (lengths[0] * lengths[1])


def _groups(text: str) -> list[str]:
    found = []
    for word in text.lower().split():
        padded = f" {word} "
        found += [padded[at : at + num] for num in (3, 4, 5) for at in range(max(1, len(padded) - num + 1))]
    return found
