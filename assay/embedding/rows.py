"""Clean input texts and normalized output rows of embedders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.embedding.embedder import EmbeddingUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_CHARACTERS = 2_000
"""Characters of a text to embed; a rule has about a hundred, and an average over more words loses meaning."""

MOST_DIMENSIONS = 16_384


def clean(texts: Sequence[str]) -> list[str]:
    """Return the texts cut and without lone surrogates, which tokenizers reject."""
    return [text[:MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8") for text in texts]


def unit_rows(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Normalize each row to length 1; rows of zeros stay."""
    import numpy as np

    lengths: NDArray[np.float32] = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return (rows / lengths).astype(np.float32)


def rows_of(vectors: Sequence[Any], num_texts: int, who: str) -> NDArray[np.float32]:
    """Convert a service's vectors to unit rows.

    Raises:
        EmbeddingUnavailable: not one row of finite numbers per text.
    """
    import numpy as np

    if len(vectors) != num_texts:
        raise EmbeddingUnavailable(f"{who} sent {len(vectors)} rows for {num_texts} texts")
    width = len(vectors[0]) if vectors and isinstance(vectors[0], list) else 0
    for row in vectors:
        fits = isinstance(row, list) and len(row) == width and 0 < width <= MOST_DIMENSIONS
        if not fits or not all(type(one) in (int, float) and math.isfinite(one) for one in row):
            raise EmbeddingUnavailable(f"{who} sent an invalid row of numbers")
    return unit_rows(np.asarray(vectors, dtype=np.float64).astype(np.float32).reshape(num_texts, width))
