"""What tells how near texts are in meaning, as the operator set it: one for everything the App compares."""

from __future__ import annotations

from assay.embedding.embedder import Embedder, EmbeddingSettings, EmbeddingUnavailable
from assay.embedding.register import EMBEDDERS
from assay.github.errors import SettingsError
from assay.github_app.observability import hide
from assay.github_app.settings import Settings


def embedder_of(settings: Settings) -> Embedder:
    """The embedder of these settings; nothing is loaded or asked before it is used.

    Raises `SettingsError` where a provider lacks what it needs.
    """
    key = settings.embedding_key.get_secret_value() if settings.embedding_key else ""
    hide(key)
    wanted = EmbeddingSettings(
        provider=settings.embedding_provider,
        model=settings.embedding_model or "",
        base_url=settings.embedding_url or "",
        api_key=key,
        region=settings.embedding_region or "",
        num_dimensions=settings.embedding_dimensions,
    )
    try:
        return EMBEDDERS[wanted.provider](wanted)
    except EmbeddingUnavailable as error:
        raise SettingsError(str(error)) from None
