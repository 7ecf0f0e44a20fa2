"""Averaged word vectors from an installed package: offline, no key, some thousand texts per second."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.embedding.embedder import Embedder, EmbeddingSettings, EmbeddingUnavailable
from assay.embedding.rows import clean, unit_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "bundled:wordllama-l2-supercat-256"
_WORD = re.compile(r"[^\W_]")


def bundled(settings: EmbeddingSettings) -> Embedder:  # noqa: ARG001 - the signature of every provider
    """Create the bundled embedder, which has no settings."""
    return _Bundled()


class _Bundled:
    name = NAME

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        ready = clean(texts)
        # A batch is padded to its longest text: sorting by length keeps one long text from using gigabytes.
        order = sorted((place for place, text in enumerate(ready) if _WORD.search(text)), key=lambda at: len(ready[at]))
        rows = np.zeros((len(ready), _vectors().embedding.shape[1]), dtype=np.float32)
        if order:
            rows[order] = _vectors().embed([ready[place] for place in order])
        return unit_rows(rows)


@cache
def _vectors() -> Any:
    """Load the word vectors from the package, without a download."""
    with _logging_untouched():
        try:
            import wordllama
            from wordllama import WordLlama
        except ImportError:
            raise EmbeddingUnavailable(
                "the package wordllama is not installed: install Assay with its extra `embed`"
            ) from None
        return WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)


@contextmanager
def _logging_untouched() -> Iterator[None]:
    """Restore the root logger: importing the package enables INFO for all loggers."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    try:
        yield
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers
