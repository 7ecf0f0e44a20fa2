"""Register of embedders."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.embedding.bedrock import bedrock
from assay.embedding.bundled import bundled
from assay.embedding.embedder import Embedder, EmbeddingSettings
from assay.embedding.openai_compatible import openai_compatible
from assay.embedding.voyage import voyage

EMBEDDERS: Mapping[str, Callable[[EmbeddingSettings], Embedder]] = {
    "bundled": bundled,
    "voyage": voyage,
    "openai_compatible": openai_compatible,
    "bedrock": bedrock,
}
"""Name in the settings -> factory. `bundled` is the default: offline, no key."""
