"""Embeddings by Voyage AI: POST /v1/embeddings with a key."""

from __future__ import annotations

from assay.embedding.embedder import Embedder, EmbeddingSettings, EmbeddingUnavailable
from assay.embedding.listed_rows import ListedRows
from assay.embedding.posting import Poster, headers_for

DEFAULT_MODEL = "voyage-3.5"
BASE_URL = "https://api.voyageai.com"


def voyage(settings: EmbeddingSettings) -> Embedder:
    """Create a Voyage embedder.

    Raises:
        EmbeddingUnavailable: no key.
    """
    if not settings.api_key:
        raise EmbeddingUnavailable("voyage needs a key: set ASSAY_EMBEDDING_KEY")
    model = settings.model or DEFAULT_MODEL
    poster = Poster("voyage", settings.base_url or BASE_URL, headers_for(settings.api_key), settings.timeout_s)
    extra = {"output_dimension": settings.num_dimensions} if settings.num_dimensions else {}
    return ListedRows(f"voyage:{model}", poster, "/v1/embeddings", {"model": model, **extra})
