"""The embedder that ships, and the labelled pairs to tune on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.embedding.embedder import Embedder, EmbeddingSettings
from assay.embedding.register import EMBEDDERS

CASES = Path(__file__).parents[2] / "cases" / "learning"


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return EMBEDDERS["bundled"](EmbeddingSettings())


def labelled(name: str) -> list[dict[str, Any]]:
    """The lines of one file of labelled comments."""
    return [json.loads(line) for line in (CASES / name).read_text("utf-8").splitlines() if line.strip()]
