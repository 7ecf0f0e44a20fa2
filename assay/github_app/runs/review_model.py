"""The model that reads changes for rules in words, where the operator names one and gives its key; a budget a day."""

from __future__ import annotations

import logging
import threading
from datetime import date

from assay.github_app.settings import Settings
from assay.llm import AnthropicModel, Budget, LanguageModel, ModelUnavailable

MOST_CALLS = 5_000
"""Questions of one worker in a day."""
_log = logging.getLogger(__name__)


class ReviewModel:
    """Made anew each day, so that what it may cost is counted by the day. Safe to share between threads."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._made: tuple[date, AnthropicModel | None] | None = None

    def of(self, day: date) -> LanguageModel | None:
        """The model of this day; None where none is named, or it cannot be had (which the log says)."""
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
            _log.warning("no model reads changes: %s", error)
            return None
