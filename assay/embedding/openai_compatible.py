"""Embeddings by any service compatible with OpenAI: POST {address}/embeddings, with an optional key."""

from __future__ import annotations

from assay.embedding.embedder import Embedder, EmbeddingSettings, EmbeddingUnavailable
from assay.embedding.listed_rows import ListedRows
from assay.embedding.posting import Poster, headers_for


def openai_compatible(settings: EmbeddingSettings) -> Embedder:
    """Create an embedder of such a service.

    Raises:
        EmbeddingUnavailable: no URL, or no model.
    """
    if not settings.base_url or not settings.model:
        raise EmbeddingUnavailable("openai_compatible needs ASSAY_EMBEDDING_URL and ASSAY_EMBEDDING_MODEL")
    poster = Poster("openai_compatible", settings.base_url, headers_for(settings.api_key), settings.timeout_s)
    extra = {"dimensions": settings.num_dimensions} if settings.num_dimensions else {}
    message = {"model": settings.model, "encoding_format": "float", **extra}
    return ListedRows(f"openai_compatible:{settings.model}", poster, "/embeddings", message)
