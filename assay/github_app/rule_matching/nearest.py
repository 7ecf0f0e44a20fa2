"""The rules nearest to a text, by the embedder on centred rows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.embedding.embedder import Embedder
from assay.github_app.rule_matching.negation import sides_of
from assay.github_app.rule_matching.rule_text import PREFIX, same_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_KEPT = 20_000
"""Maximum texts kept embedded: services charge per text."""
NEARLY = 0.9
"""Cosine from which two texts with the same negations are nearly equal."""
_USUAL = (
    "Please add a test for this",
    "Use a constant instead of this magic number",
    "This should be renamed",
    "Don't do this here",
    "We should not use this",
    "Missing documentation",
    "Can we move this into a separate function?",
    "Avoid this, please",
    "This needs a comment",
    "Please use the existing helper",
    "Remove this code",
    "Handle the error here",
)
"""What review advice has in common; the mean of these and of the known rules is subtracted."""


@dataclass(slots=True)
class Nearest:
    """Comparer of texts that keeps their rows."""

    embedder: Embedder
    _kept: OrderedDict[str, NDArray[np.float32]] = field(default_factory=OrderedDict)

    def scores(self, text: str, known: Sequence[str]) -> list[float]:
        """Return the similarity (-1..1) of a text to each known text. Raises `EmbeddingUnavailable`."""
        import numpy as np

        if not known:
            return []
        rows = self._rows([one.removeprefix(PREFIX) for one in (text, *known, *_USUAL)])
        centred = rows - rows[1:].mean(axis=0)
        lengths = np.linalg.norm(centred, axis=1)
        lengths[lengths == 0] = 1
        unit = centred / lengths[:, None]
        found: NDArray[np.float32] = unit[1 : len(known) + 1] @ unit[0]
        return [float(one) for one in found]

    def _rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        self._kept.update(zip(new, self.embedder.embed(new), strict=True))
        rows = np.stack([self._kept[text] for text in texts])
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        return rows


def is_nearly_equal(one: str, other: str, score: float) -> bool:
    """Return whether two texts are the same but for a few words: none of them is turned into its contrary."""
    if same_words(one) == same_words(other):
        return True
    a, b = sides_of(one), sides_of(other)
    shared = a.keys() & b.keys()
    is_close = score >= NEARLY and 2 * len(shared) >= len(a.keys() | b.keys())
    return is_close and all(a[word] == b[word] for word in shared)
