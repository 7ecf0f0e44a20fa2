"""Batched client of services that return `{"data": [{"index": 0, "embedding": [...]}, ...]}` in any order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.embedding.embedder import EmbeddingUnavailable
from assay.embedding.posting import Poster
from assay.embedding.rows import clean, rows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BATCH = 96
"""Texts per request; the services' limits are 128 (Voyage) and 2,048 (OpenAI)."""


class ListedRows:
    """Embedder of such a service; `extra` is sent with every request."""

    def __init__(self, name: str, poster: Poster, path: str, extra: Mapping[str, Any]) -> None:
        self.name = name
        self._poster = poster
        self._path = path
        self._extra = dict(extra)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        # The services reject an empty input; "." stands for it.
        ready = [text if text.strip() else "." for text in clean(texts)]
        found: list[Any] = []
        for start in range(0, len(ready), BATCH):
            batch = ready[start : start + BATCH]
            found += self._in_order(self._poster.post(self._path, {**self._extra, "input": batch}), len(batch))
        if not found:
            return np.zeros((0, 0), dtype=np.float32)
        rows = rows_of(found, len(ready), self._poster.who)
        rows[[place for place, text in enumerate(ready) if text == "."]] = 0
        return rows

    def _in_order(self, answer: Any, num: int) -> list[Any]:
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or not all(isinstance(one, dict) for one in data):
            raise EmbeddingUnavailable(f"{self._poster.who} returned an unknown response format")
        by_index = {one.get("index"): one.get("embedding") for one in data}
        if len(data) != num or set(by_index) != set(range(num)):
            raise EmbeddingUnavailable(f"{self._poster.who} sent {len(data)} rows for {num} texts, or the wrong ones")
        return [by_index[place] for place in range(num)]
