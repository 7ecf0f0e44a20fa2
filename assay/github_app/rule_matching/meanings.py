"""Embeddings of rules, calibrated per embedder on first use.

Cosines of different models are not comparable. The mean of all rules is subtracted, and cosines are scaled by the
spread among unrelated rules: those of the lexicon.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.embedding.embedder import Embedder
from assay.github_app.rule_matching.lexicon import lexicon

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SCALES: dict[str, tuple[NDArray[np.float32], float, float]] = {}
"""Calibration by embedder: mean vector of unrelated rules, and mean and spread of their cosines without it."""


def meanings(texts: Sequence[str], embedder: Embedder) -> NDArray[np.float32]:
    """Return centred rows of length 1."""
    if embedder.name not in _SCALES:
        _SCALES[embedder.name] = _measured(embedder)
    return _centred(embedder.embed(texts), _SCALES[embedder.name][0])


def scale(name: str) -> tuple[float, float]:
    """Return the mean and spread of the cosines of unrelated rules; call `meanings` for that embedder first."""
    _, mean, spread = _SCALES[name]
    return mean, spread


def _measured(embedder: Embedder) -> tuple[NDArray[np.float32], float, float]:
    import numpy as np

    rows = embedder.embed([axis.rule for axis in lexicon().axes.values()])
    middle = rows.mean(axis=0)
    rows = _centred(rows, middle)
    cosines = (rows @ rows.T)[~np.eye(len(rows), dtype=bool)]
    return middle, float(cosines.mean()), float(cosines.std()) or 1.0


def _centred(rows: NDArray[np.float32], middle: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    moved = rows - middle
    lengths: NDArray[np.float32] = np.linalg.norm(moved, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return (moved / lengths).astype(np.float32)
