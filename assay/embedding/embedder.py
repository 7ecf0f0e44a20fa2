"""What turns texts into rows of numbers whose angles tell how near they are in meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Anything that embeds texts; the same text gives the same row for as long as the name is the same."""

    @property
    def name(self) -> str:
        """Provider and model, `voyage:voyage-code-3`: what a calibration and a cache go by."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of length 1 for each text (all 0 where a text has no word), n x d.

        Raises `EmbeddingUnavailable` where it cannot be had.
        """


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Which provider, and how it is reached; what is left empty is the provider's own default.

    `base_url` is where the service listens, without the path of the call. `num_dimensions` is asked for only where
    it is set. The key is never shown.
    """

    provider: str = "bundled"
    model: str = ""
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    region: str = ""
    num_dimensions: int | None = None
    timeout_s: float = 30.0


class EmbeddingUnavailable(Exception):
    """No embedding: not set up, refused, or not reachable. One line, no secret and no text of anybody in it.

    `may_pass` says whether trying again later makes sense.
    """

    def __init__(self, message: str, *, may_pass: bool = False) -> None:
        super().__init__(message)
        self.may_pass = may_pass
