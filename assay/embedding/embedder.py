"""Interface and settings of embedders; similar texts have a small angle between their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Embedder of texts; the same name and text give the same row."""

    @property
    def name(self) -> str:
        """Provider and model, as `voyage:voyage-code-3`; the key of calibrations and caches."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return an n x d array with a row of length 1 per text, or zeros for a text without words.

        Raises:
            EmbeddingUnavailable: no embedding.
        """


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Provider and connection settings; empty values use the provider's defaults.

    `base_url` excludes the path of the call. `num_dimensions` is sent only if set. The key is excluded from `repr`.
    """

    provider: str = "bundled"
    model: str = ""
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    region: str = ""
    num_dimensions: int | None = None
    timeout_s: float = 30.0


class EmbeddingUnavailable(Exception):
    """Missing embedding: not configured, refused or unreachable. The message is one line without secrets or texts.

    `may_pass` is true if a later retry can succeed.
    """

    def __init__(self, message: str, *, may_pass: bool = False) -> None:
        super().__init__(message)
        self.may_pass = may_pass
