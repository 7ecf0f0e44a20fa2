"""Interface of a language model.

A model is optional everywhere (`--no-model`, or no key). The command line chooses the implementation; tests pass any
object with `complete`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from assay.coded_error import CodedError


@dataclass(frozen=True, slots=True)
class Completion:
    """Answer of a model, with its cost; `value` is the parsed answer if a schema was given."""

    text: str
    value: Mapping[str, Any] | None = None
    model: str = ""
    num_tokens_in: int = 0
    num_tokens_out: int = 0
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """Prompt with everything that is sent with it; the arguments of `complete`."""

    prompt: str
    system: str = ""
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 4096

    def key_for(self, model: str) -> str:
        """Return 64 hex digits: a hash of the model's name and of everything that is sent."""
        told = json.dumps([model, self.prompt, self.system, self.schema, self.max_tokens], sort_keys=True)
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()


class LanguageModel(Protocol):
    """Language model that completes a prompt."""

    @property
    def name(self) -> str:
        """Identifier of the model, part of every cache key."""

    def complete(
        self, prompt: str, *, system: str = "", schema: Mapping[str, Any] | None = None, max_tokens: int = 4096
    ) -> Completion:
        """Complete `prompt`; with `schema` (JSON Schema) the answer is a valid object of it.

        Raises:
            ModelUnavailable: no complete answer.
        """


class BatchModel(Protocol):
    """Language model that completes many prompts at once, within hours."""

    def complete_all(self, requests: Sequence[Request]) -> list[Completion | ModelUnavailable]:
        """Complete all requests, in their order; an error stands for a missing answer.

        Raises:
            ModelUnavailable: the whole batch cannot be sent or collected.
        """


class WhyUnavailable(StrEnum):
    """Reason for a missing answer; the first four also apply to later prompts."""

    no_key = "no_key"
    not_set_up = "not_set_up"
    rejected = "rejected"
    budget = "budget"
    busy = "busy"
    unreachable = "unreachable"
    refused = "refused"
    truncated = "truncated"
    unfit = "unfit"
    expired = "expired"
    canceled = "canceled"

    @property
    def is_lasting(self) -> bool:
        """Whether other prompts fail too: no key, a wrong key, or no budget left."""
        return self in _LASTING


_LASTING = {WhyUnavailable.no_key, WhyUnavailable.not_set_up, WhyUnavailable.rejected, WhyUnavailable.budget}


class ModelUnavailable(CodedError):
    """Missing answer of a model; `why` is the reason, and a part of the code."""

    def __init__(self, message: str, why: WhyUnavailable = WhyUnavailable.unreachable) -> None:
        super().__init__(message, code=f"model.{why.replace('_', '-')}")
        self.why = why
