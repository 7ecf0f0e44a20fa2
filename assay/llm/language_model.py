"""The language model, as the rooms see it: something that completes a prompt, or nothing at all.

Everything works without one (`--no-model`, or no key). What stands behind this face is chosen by the command line;
a test may put anything there that has `complete`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered; `value` is the parsed answer where a schema was given. Costs: tokens and US dollars."""

    text: str
    value: Mapping[str, Any] | None = None
    model: str = ""
    num_tokens_in: int = 0
    num_tokens_out: int = 0
    cost_usd: float | None = None


class LanguageModel(Protocol):
    """Anything that completes a prompt."""

    @property
    def name(self) -> str:
        """Which model this is; part of every cache key."""

    def complete(
        self, prompt: str, *, system: str = "", schema: Mapping[str, Any] | None = None, max_tokens: int = 4096
    ) -> Completion:
        """Answer `prompt`; with `schema` (JSON Schema) the answer is an object that fits it.

        Raises `ModelUnavailable` where no answer could be had; never returns half an answer.
        """


class WhyUnavailable(StrEnum):
    """Why a model gave no answer; the first four will be no better with the next question."""

    no_key = "no_key"
    not_set_up = "not_set_up"
    rejected = "rejected"
    budget = "budget"
    busy = "busy"
    unreachable = "unreachable"
    refused = "refused"
    truncated = "truncated"
    unfit = "unfit"

    @property
    def is_lasting(self) -> bool:
        """Whether asking anything else is in vain too: no key, a wrong one, or nothing left to spend."""
        return self in _LASTING


_LASTING = {WhyUnavailable.no_key, WhyUnavailable.not_set_up, WhyUnavailable.rejected, WhyUnavailable.budget}


class ModelUnavailable(Exception):
    """No answer from the model: no key, refused, out of budget, truncated, or not reachable. `why` says which."""

    def __init__(self, message: str, why: WhyUnavailable = WhyUnavailable.unreachable) -> None:
        super().__init__(message)
        self.why = why
