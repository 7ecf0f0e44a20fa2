"""Client of the Anthropic API with a budget, retries, and checks for complete answers."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

from assay.llm.budget import Budget, Call, Spending
from assay.llm.clients import Provider, client_of
from assay.llm.language_model import Completion, ModelUnavailable, Request
from assay.llm.prices import Price, Tokens, price_of
from assay.llm.structured import parsed

if TYPE_CHECKING:
    from assay.llm.replies import Trouble

LONGEST_WAIT_S = 60.0
"""A server that asks for a longer pause than this counts as unreachable."""

_FIRST_WAIT_S = 0.5
_SHORTEST_SECRET = 8
"""A shorter key is a placeholder for a gateway without keys; redacting it would damage messages."""

_LONGEST_BACKOFF_S = 16.0
_OVERHEAD_TOKENS = 1_000
"""Tokens the API may add to a prompt for the schema and the message frame."""


class AnthropicModel:
    """Thread-safe client of a Claude model; close it when done, or use `with`.

    `api_key` and `base_url` default to the environment at creation. `max_retries` counts attempts after the first; each
    uses a call of the budget. `effort` ("low" to "max") is passed to models that support it.
    """

    def __init__(
        self,
        name: str,
        *,
        provider: Provider | str = Provider.anthropic,
        api_key: str | None = None,
        base_url: str | None = None,
        budget: Budget | None = None,
        price: Price | None = None,
        max_retries: int = 4,
        timeout_s: float = 120.0,
        first_wait_s: float = _FIRST_WAIT_S,
        effort: str | None = None,
    ) -> None:
        self._name = name
        self.provider = Provider(provider)
        self.client, self._secret = client_of(self.provider, api_key, base_url, timeout_s)
        self.budget = budget or Budget()
        # The price table covers the API only; prices of cloud providers are unknown.
        self.price = price or (price_of(name) if self.provider is Provider.anthropic else None)
        self.max_retries = max_retries
        self._first_wait_s = first_wait_s
        self._effort = effort
        self._lock = Lock()
        self._spent = Spending(cost_usd=None if self.price is None else 0.0)

    def __repr__(self) -> str:
        return f"AnthropicModel({self._name!r}, provider={str(self.provider)!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        """Name of the model in the API."""
        return self._name

    @property
    def spent(self) -> Spending:
        """Calls, tokens and cost so far."""
        with self._lock:
            return self._spent

    def close(self) -> None:
        """Close its connections."""
        self.client.close()

    def most_usd(
        self, prompt: str, *, system: str = "", schema: Mapping[str, Any] | None = None, max_tokens: int = 4096
    ) -> float | None:
        """Return the maximum cost of one call in US dollars; None without a price.

        No text has more tokens than UTF-8 bytes, so this is an upper limit, several times the usual cost.
        """
        if self.price is None:
            return None
        num_bytes = len(_utf8(prompt)) + len(_utf8(system)) + len(_utf8(str(schema or "")))
        return self.price.cost_usd(Tokens(num_in=num_bytes + _OVERHEAD_TOKENS, num_out=max_tokens))

    def complete(
        self, prompt: str, *, system: str = "", schema: Mapping[str, Any] | None = None, max_tokens: int = 4096
    ) -> Completion:
        """Complete `prompt`, see `LanguageModel`; `max_tokens` includes the model's thinking."""
        request = self.params_of(Request(prompt, system, schema, max_tokens))
        most_usd = self.most_usd(prompt, system=system, schema=schema, max_tokens=max_tokens)
        for num_tries in range(1, self.max_retries + 2):
            with self.budget.call(most_usd) as call:
                answered = self._ask(request, call)
            if isinstance(answered, Completion):
                return answered if schema is None else _with_value(answered, schema)
            if num_tries > self.max_retries:
                raise ModelUnavailable(f"{answered.message} ({num_tries} tries)", answered.why)
            self.pause(num_tries, answered)
        raise AssertionError("unreachable")  # pragma: no cover - the last try returns or raises

    def params_of(self, request: Request) -> dict[str, Any]:
        """Return the parameters of the Messages API for a request."""
        from anthropic import transform_schema

        output: dict[str, Any] = {"effort": self._effort} if self._effort else {}
        if request.schema is not None:
            output["format"] = {"type": "json_schema", "schema": transform_schema(dict(request.schema))}
        return {
            "model": self._name,
            "max_tokens": request.max_tokens,
            "messages": [{"role": "user", "content": _utf8(request.prompt).decode()}],
            **({"system": _utf8(request.system).decode()} if request.system else {}),
            **({"output_config": output} if output else {}),
        }

    def _ask(self, request: dict[str, Any], call: Call) -> Completion | Trouble:
        """Make one call; return its answer or a retryable error, and raise `ModelUnavailable` for other errors."""
        from assay.llm.replies import reply_of, trouble_of

        try:
            raw = self.client.messages.with_raw_response.create(**request)
            reply = reply_of(raw.http_response.content)
        except Exception as error:  # noqa: BLE001 - `trouble_of` re-raises unknown errors
            trouble = trouble_of(error, self.hide)
            if not trouble.may_be_charged:
                call.free()
            self.count(Tokens(), call.usd)
            if trouble.may_pass:
                return trouble
            raise ModelUnavailable(trouble.message, trouble.why) from None
        cost = None if self.price is None else self.price.cost_usd(reply.usage.tokens)
        call.settle(cost)
        self.count(reply.usage.tokens, cost)
        return Completion(
            text=reply.text(self.hide),
            model=reply.model or self._name,
            num_tokens_in=reply.usage.tokens.num_prompt,
            num_tokens_out=reply.usage.tokens.num_out,
            cost_usd=cost,
        )

    def pause(self, num_tries: int, trouble: Trouble) -> None:
        """Sleep before the next try. Raises `ModelUnavailable` if the server asks for too long a pause."""
        if trouble.wait_s is not None:
            if trouble.wait_s > LONGEST_WAIT_S:
                asked = f"the server requires a pause of {trouble.wait_s:.0f} s"
                raise ModelUnavailable(f"{trouble.message}; {asked}", trouble.why)
            time.sleep(trouble.wait_s)
            return
        backoff_s = min(self._first_wait_s * 2.0 ** (num_tries - 1), _LONGEST_BACKOFF_S)
        time.sleep(backoff_s * random.uniform(0.75, 1.0))  # noqa: S311 - jitter spreads concurrent retries

    def count(self, tokens: Tokens, cost_usd: float | None) -> None:
        """Add a call to what is spent."""
        with self._lock:
            was = self._spent
            known = was.cost_usd is not None and cost_usd is not None
            self._spent = Spending(
                was.num_calls + 1,
                was.num_tokens_in + tokens.num_prompt,
                was.num_tokens_out + tokens.num_out,
                (was.cost_usd or 0.0) + (cost_usd or 0.0) if known else None,
            )

    def hide(self, text: str) -> str:
        """Return a server's message as one short line without the key."""
        if len(self._secret) >= _SHORTEST_SECRET:
            text = text.replace(self._secret, "…")
        return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text[:300]).strip()


def _utf8(text: str) -> bytes:
    """Encode text; replace lone surrogates, which JSON cannot carry."""
    return text.encode("utf-8", "replace")


def _with_value(completion: Completion, schema: Mapping[str, Any]) -> Completion:
    return replace(completion, value=parsed(completion.text, schema))
