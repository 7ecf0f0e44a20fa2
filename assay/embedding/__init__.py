"""Meaning of texts as rows of numbers: one that needs nothing from outside, and three that ask a service.

    embedder = EMBEDDERS["bundled"](EmbeddingSettings())
    embedder.embed(["Never use any.", "Use proper types."])  ->  an array of 2 rows, each of length 1

Nothing heavy is loaded before the first text is embedded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.embedding.bedrock import bedrock
from assay.embedding.bundled import bundled
from assay.embedding.embedder import Embedder, EmbeddingSettings, EmbeddingUnavailable
from assay.embedding.openai_compatible import openai_compatible
from assay.embedding.voyage import voyage

EMBEDDERS: Mapping[str, Callable[[EmbeddingSettings], Embedder]] = {
    "bundled": bundled,
    "voyage": voyage,
    "openai_compatible": openai_compatible,
    "bedrock": bedrock,
}
"""Name in the settings -> what makes it. `bundled` is the default: offline, no key."""

__all__ = ["EMBEDDERS", "Embedder", "EmbeddingSettings", "EmbeddingUnavailable"]
