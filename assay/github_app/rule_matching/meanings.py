"""What rules mean, as rows of numbers that are comparable between embedders: each is calibrated when it is first used.

No cosine means the same in two models. So what all rules have in common is taken away, and cosines are counted in units
of the spread of rules that have nothing to do with each other: those of the lexicon.
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
"""Embedder -> the mean of unlike rules, and mean and spread of their cosines without it: its calibration."""


def meanings(texts: Sequence[str], embedder: Embedder) -> NDArray[np.float32]:
    """Rows of length 1, without what all rules have in common."""
    if embedder.name not in _SCALES:
        _SCALES[embedder.name] = _measured(embedder)
    return _centred(embedder.embed(texts), _SCALES[embedder.name][0])


def scale(name: str) -> tuple[float, float]:
    """Mean and spread of the cosines of unlike rules, for an embedder that `meanings` was called with."""
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
