"""Model that is not asked again after several errors in a row, so that a run without a connection ends soon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.llm.language_model import Completion, LanguageModel, ModelUnavailable, WhyUnavailable

MOST_IN_A_ROW = 3
_OF_THE_SERVER = {
    WhyUnavailable.busy,
    WhyUnavailable.unreachable,
    WhyUnavailable.rejected,
    WhyUnavailable.no_key,
    WhyUnavailable.not_set_up,
}
"""Reasons that do not depend on the prompt. A spent budget does: a shorter prompt may fit, and asking is free."""


class GivingUp:
    """Model that repeats the last error, without a call, after `MOST_IN_A_ROW` calls that the server did not answer."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._num_in_a_row = 0
        self._last = ModelUnavailable("")

    @property
    def name(self) -> str:
        return self._model.name

    def complete(
        self, prompt: str, *, system: str = "", schema: Mapping[str, Any] | None = None, max_tokens: int = 4096
    ) -> Completion:
        """Complete `prompt`, see `LanguageModel`."""
        if self._num_in_a_row >= MOST_IN_A_ROW:
            raise ModelUnavailable(self._last.text, self._last.why)
        try:
            found = self._model.complete(prompt, system=system, schema=schema, max_tokens=max_tokens)
        except ModelUnavailable as error:
            self._num_in_a_row = self._num_in_a_row + 1 if error.why in _OF_THE_SERVER else 0
            self._last = error
            raise
        self._num_in_a_row = 0
        return found
