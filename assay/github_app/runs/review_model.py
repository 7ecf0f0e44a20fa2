"""Language model that reviews changes by learned rules, if the operator configured one; its budget is per day."""

from __future__ import annotations

import logging
import threading
from datetime import date

from assay.github_app.settings import Settings
from assay.llm import AnthropicModel, Budget, LanguageModel, ModelUnavailable

MOST_CALLS = 5_000
"""Maximum requests per worker and day."""
_log = logging.getLogger(__name__)


class ReviewModel:
    """Factory of the model: a new one each day, so that the budget counts per day. Thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._made: tuple[date, AnthropicModel | None] | None = None

    def of(self, day: date) -> LanguageModel | None:
        """Return the model for this day, or None if none is configured or it is unavailable (logged)."""
        with self._lock:
            if self._made is None or self._made[0] != day:
                self._made = (day, self._make())
            return self._made[1]

    def _make(self) -> AnthropicModel | None:
        name = self._settings.review_model
        if name is None:
            return None
        try:
            return AnthropicModel(name, budget=Budget(max_usd=self._settings.review_budget_usd, max_calls=MOST_CALLS))
        except ModelUnavailable as error:
            _log.warning("review model unavailable: %s", error)
            return None
