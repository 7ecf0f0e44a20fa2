"""Embeddings by Amazon Bedrock, Titan or Cohere models, with a Bedrock API key (a bearer token)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from assay.embedding.embedder import Embedder, EmbeddingSettings, EmbeddingUnavailable
from assay.embedding.posting import Poster, headers_for
from assay.embedding.rows import clean, rows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT_MODEL = "amazon.titan-embed-text-v2:0"
COHERE_BATCH = 96
_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-\d")


def bedrock(settings: EmbeddingSettings) -> Embedder:
    """Create a Bedrock embedder.

    Raises:
        EmbeddingUnavailable: no key, or no region.
    """
    if not settings.api_key:
        raise EmbeddingUnavailable("bedrock needs a key: set ASSAY_EMBEDDING_KEY to a Bedrock API key")
    if not settings.base_url and not _REGION.fullmatch(settings.region):
        raise EmbeddingUnavailable("bedrock needs a region: set ASSAY_EMBEDDING_REGION, for example eu-central-1")
    base_url = settings.base_url or f"https://bedrock-runtime.{settings.region}.amazonaws.com"
    poster = Poster("bedrock", base_url, headers_for(settings.api_key), settings.timeout_s)
    return _Bedrock(poster, settings.model or DEFAULT_MODEL, settings.num_dimensions)


class _Bedrock:
    def __init__(self, poster: Poster, model: str, num_dimensions: int | None) -> None:
        self.name = f"bedrock:{model}"
        self._poster = poster
        # A model can be an ARN with slashes.
        self._path = f"/model/{quote(model, safe='')}/invoke"
        self._is_cohere = "cohere." in model
        self._num_dimensions = num_dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        ready = clean(texts)
        asked = [place for place, text in enumerate(ready) if text.strip()]
        found = self._asked([ready[place] for place in asked])
        if not found:
            return np.zeros((len(ready), 0), dtype=np.float32)
        some = rows_of(found, len(asked), self._poster.who)
        rows = np.zeros((len(ready), some.shape[1]), dtype=np.float32)
        rows[asked] = some
        return rows

    def _asked(self, texts: Sequence[str]) -> list[Any]:
        if not self._is_cohere:
            return [self._titan(text) for text in texts]
        found: list[Any] = []
        for start in range(0, len(texts), COHERE_BATCH):
            message = {"texts": list(texts[start : start + COHERE_BATCH]), "input_type": "clustering"}
            found += self._field(self._poster.post(self._path, message), "embeddings")
        return found

    def _titan(self, text: str) -> Any:
        extra = {"dimensions": self._num_dimensions, "normalize": True} if self._num_dimensions else {}
        return self._field(self._poster.post(self._path, {"inputText": text, **extra}), "embedding")

    def _field(self, answer: Any, name: str) -> list[Any]:
        found = answer.get(name) if isinstance(answer, dict) else None
        if not isinstance(found, list):
            raise EmbeddingUnavailable("bedrock returned an unknown response format")
        return found
