"""Texts before and numbers after an embedding: bounded, clean, each row of length 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.embedding.embedder import EmbeddingUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_CHARACTERS = 2_000
"""What of a text makes its meaning; a rule has some hundred, and over more words an average means nothing much."""

MOST_DIMENSIONS = 16_384


def clean(texts: Sequence[str]) -> list[str]:
    """The texts as any tokenizer takes them: broken halves of characters are legal in our strings and not in theirs."""
    return [text[:MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8") for text in texts]


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same directions, each of length 1; a row of zeros stays one."""
    import numpy as np

    lengths: NDArray[np.float32] = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return (rows / lengths).astype(np.float32)


def rows_of(vectors: Sequence[Any], num_texts: int, who: str) -> NDArray[np.float32]:
    """What a service sent, if it is one row of finite numbers for each text; raises `EmbeddingUnavailable` if not."""
    import numpy as np

    if len(vectors) != num_texts:
        raise EmbeddingUnavailable(f"{who} sent {len(vectors)} rows for {num_texts} texts")
    width = len(vectors[0]) if vectors and isinstance(vectors[0], list) else 0
    for row in vectors:
        fits = isinstance(row, list) and len(row) == width and 0 < width <= MOST_DIMENSIONS
        if not fits or not all(type(one) in (int, float) and math.isfinite(one) for one in row):
            raise EmbeddingUnavailable(f"{who} sent what is no row of numbers")
    return unit_rows(np.asarray(vectors, dtype=np.float64).astype(np.float32).reshape(num_texts, width))
