"""Embedder of the App, by the operator's settings."""

from __future__ import annotations

from assay.embedding.embedder import Embedder, EmbeddingSettings, EmbeddingUnavailable
from assay.embedding.register import EMBEDDERS
from assay.github.errors import SettingsError
from assay.github_app.ops.observability import hide
from assay.github_app.ops.settings import Settings


def embedder_of(settings: Settings) -> Embedder:
    """Return the embedder of these settings; it loads its model or connects on first use.

    Raises `SettingsError` if the provider lacks a setting.
    """
    key = settings.embedding_key.get_secret_value() if settings.embedding_key else ""
    hide(key)
    embedding = EmbeddingSettings(
        provider=settings.embedding_provider,
        model=settings.embedding_model or "",
        base_url=settings.embedding_url or "",
        api_key=key,
        region=settings.embedding_region or "",
        num_dimensions=settings.embedding_dimensions,
    )
    try:
        return EMBEDDERS[embedding.provider](embedding)
    except EmbeddingUnavailable as error:
        raise SettingsError(str(error)) from None
