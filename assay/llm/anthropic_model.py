"""Client of the Anthropic API with a budget, retries, and checks for complete answers."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Self, TypeVar

from assay.llm.budget import Budget, Call, Spending
from assay.llm.clients import Provider, can_stream, client_of, provider_of
from assay.llm.conversing import Message, Tool, Turn, size_of
from assay.llm.language_model import Completion, ModelUnavailable, Request, WhyUnavailable
from assay.llm.prices import Tokens, price_of
from assay.llm.structured import parsed

if TYPE_CHECKING:
    from assay.llm.replies import Reply, Trouble

Answer = TypeVar("Answer", Completion, Turn)
Answered = TypeVar("Answered")

LONGEST_WAIT_S = 60.0
"""A server that asks for a longer pause than this counts as unreachable."""

_FIRST_WAIT_S = 0.5
_SHORTEST_SECRET = 8
"""A shorter key is a placeholder for a gateway without keys; redacting it would damage messages."""

_LONGEST_BACKOFF_S = 16.0
_CACHED: Mapping[str, Any] = {"cache_control": {"type": "ephemeral"}}
_OVERHEAD_TOKENS = 1_000
"""Tokens the API may add to a prompt for the schema and the message frame."""


class AnthropicModel:
    """Thread-safe client of a Claude model; close it when done, or use `with`.

    `name` is that of the Anthropic API, or `bedrock:NAME` or `vertex:NAME` of a cloud provider. `api_key` and
    `base_url` default to the environment at creation. `max_retries` counts attempts after the first; each uses a call
    of the budget.
    """

    def __init__(
        self,
        name: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        budget: Budget | None = None,
        max_retries: int = 4,
        timeout_s: float = 120.0,
        first_wait_s: float = _FIRST_WAIT_S,
    ) -> None:
        self.name = name
        self.provider, self._name = provider_of(name)
        self.client, self._secret = client_of(self.provider, api_key, base_url, timeout_s)
        self.budget = budget or Budget()
        self.price = price_of(self._name, is_resold=self.provider is not Provider.anthropic)
        self.max_retries = max_retries
        self._first_wait_s = first_wait_s
        self._lock = Lock()
        self._spent = Spending(cost_usd=None if self.price is None else 0.0)

    def __repr__(self) -> str:
        return f"AnthropicModel({self.name!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def spent(self) -> Spending:
        """Calls, tokens and cost so far."""
        with self._lock:
            return self._spent

    def close(self) -> None:
        """Close its connections."""
        self.client.close()

    def most_usd(self, request: Request) -> float | None:
        """Return the maximum cost of one call in US dollars; None without a price.

        No text has more tokens than UTF-8 bytes, so this is an upper limit, several times the usual cost.
        """
        if self.price is None:
            return None
        num_bytes = sum(len(_utf8(text)) for text in (request.prompt, request.system, str(request.schema or "")))
        return self.price.cost_usd(Tokens(num_in=num_bytes + _OVERHEAD_TOKENS, num_out=request.max_tokens))

    def complete(
        self, prompt: str, *, system: str = "", schema: Mapping[str, Any] | None = None, max_tokens: int = 4096
    ) -> Completion:
        """Complete `prompt`, see `LanguageModel`; `max_tokens` includes the model's thinking."""
        request = Request(prompt, system, schema, max_tokens)
        params = self.params_of(request)
        answered = self._with_retries(lambda call: self._ask(params, call), self.most_usd(request))
        return answered if schema is None else replace(answered, value=parsed(answered.text, schema))

    def converse(
        self,
        messages: Sequence[Message],
        *,
        system: str = "",
        tools: Sequence[Tool] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 8192,
        may_use_tools: bool = True,
        max_usd: float | None = None,
    ) -> Turn:
        """Return the next turn, see `ConversingModel`; the answer is streamed, so that long thinking does not time out.

        The reservation counts bytes as tokens; where that is too much for what is left, the tokens are counted exactly.
        """
        request = self._turn_params(messages, system, tools, schema, max_tokens, may_use_tools=may_use_tools)
        most_usd = self._most_of(size_of(request), max_tokens)
        if most_usd is not None and not self._fits(most_usd, max_usd):
            most_usd = self._most_of(self._counted(request), max_tokens)
        if max_usd is not None and (most_usd is None or most_usd > max_usd):
            raise ModelUnavailable(_over_budget(most_usd, max_usd), WhyUnavailable.budget)
        return self._with_retries(lambda call: self._stream(request, call), most_usd)

    def _with_retries(self, ask: Callable[[Call], Answer | Trouble], most_usd: float | None) -> Answer:
        """Ask until there is an answer; raise `ModelUnavailable` for an error that lasts."""
        from assay.llm.replies import Trouble

        for num_tries in range(1, self.max_retries + 2):
            with self.budget.call(most_usd) as call:
                answered = ask(call)
            if not isinstance(answered, Trouble):
                return answered
            if num_tries > self.max_retries:
                raise ModelUnavailable(f"{answered.message} ({num_tries} tries)", answered.why)
            self.pause(num_tries, answered)
        raise AssertionError("unreachable")  # pragma: no cover - the last try returns or raises

    def _most_of(self, num_tokens: int, max_tokens: int) -> float | None:
        """Return the maximum cost of a call with this many tokens in; None without a price."""
        if self.price is None:
            return None
        written = Tokens(num_cache_written=num_tokens + _OVERHEAD_TOKENS, num_out=max_tokens)
        plain = Tokens(num_in=num_tokens + _OVERHEAD_TOKENS, num_out=max_tokens)
        return max(self.price.cost_usd(written), self.price.cost_usd(plain))

    def _fits(self, most_usd: float, max_usd: float | None) -> bool:
        return (max_usd is None or most_usd <= max_usd) and self.budget.fitting([most_usd]) == 1

    def _counted(self, request: dict[str, Any]) -> int:
        """Return the tokens of a request as the server counts them; its bytes where it does not."""
        counted = {name: request[name] for name in ("model", "messages", "system", "tools", "output_config")
                   if name in request}  # fmt: skip
        try:
            return int(self.client.messages.count_tokens(**counted).input_tokens)
        except Exception:  # noqa: BLE001 - a gateway or a cloud may not count; more bytes than tokens are safe
            return size_of(request)

    def _turn_params(
        self,
        messages: Sequence[Message],
        system: str,
        tools: Sequence[Tool],
        schema: Mapping[str, Any] | None,
        max_tokens: int,
        *,
        may_use_tools: bool,
    ) -> dict[str, Any]:
        """Return the parameters of one turn, with the prefix marked for the cache.

        Three breakpoints of four: after tools and system, after the first block, and after the last message, so that
        each turn reads what the one before wrote. The bytes before a breakpoint are the same in every turn.
        """
        choice = {"tool_choice": {"type": "auto" if may_use_tools else "none"}} if tools else {}
        return {
            "model": self._name,
            "max_tokens": max_tokens,
            "messages": _cacheable(messages),
            **({"system": [{"type": "text", "text": _utf8(system).decode(), **_CACHED}]} if system else {}),
            **({"tools": [tool.to_data() for tool in tools], **choice} if tools else {}),
            **_output(schema),
        }

    def _stream(self, request: dict[str, Any], call: Call) -> Turn | Trouble:
        """Make one streamed call; return its turn or a retryable error."""
        from assay.llm.replies import NoReply, turn_of

        def answer() -> Turn:
            if not can_stream(self.provider):
                return turn_of(self.client.messages.create(**request))
            with self.client.messages.stream(**request) as stream:
                try:
                    return turn_of(stream.get_final_message())
                except AssertionError:  # the SDK's, where a stream has no event at all
                    raise NoReply from None

        turn = self._attempt(answer, call)
        if not isinstance(turn, Turn):
            return turn
        return replace(turn, model=turn.model or self._name, cost_usd=self._settled(turn.tokens, call))

    def params_of(self, request: Request) -> dict[str, Any]:
        """Return the parameters of the Messages API for a request."""
        return {
            "model": self._name,
            "max_tokens": request.max_tokens,
            "messages": [{"role": "user", "content": _utf8(request.prompt).decode()}],
            **({"system": _utf8(request.system).decode()} if request.system else {}),
            **_output(request.schema),
        }

    def _ask(self, request: dict[str, Any], call: Call) -> Completion | Trouble:
        """Make one call; return its answer or a retryable error, and raise `ModelUnavailable` for other errors."""
        from assay.llm.replies import Trouble, reply_of

        def answer() -> Reply:
            return reply_of(self.client.messages.with_raw_response.create(**request).http_response.content)

        reply = self._attempt(answer, call)
        if isinstance(reply, Trouble):
            return reply
        cost = self._settled(reply.usage.tokens, call)
        return Completion(
            text=reply.text(self.hide),
            model=reply.model or self._name,
            num_tokens_in=reply.usage.tokens.num_prompt,
            num_tokens_out=reply.usage.tokens.num_out,
            cost_usd=cost,
        )

    def _attempt(self, answer: Callable[[], Answered], call: Call) -> Answered | Trouble:
        """Return an answer or a retryable error; raise `ModelUnavailable` for other errors."""
        from assay.llm.replies import trouble_of

        try:
            return answer()
        except Exception as error:  # noqa: BLE001 - `trouble_of` re-raises unknown errors
            trouble = trouble_of(error, self.hide)
        if not trouble.may_be_charged:
            call.free()
        self.count(Tokens(), call.usd)
        if trouble.may_pass:
            return trouble
        raise ModelUnavailable(trouble.message, trouble.why)

    def _settled(self, tokens: Tokens, call: Call) -> float | None:
        """Record the cost of an answered call, and return it; None without a price."""
        cost = None if self.price is None else self.price.cost_usd(tokens)
        call.settle(cost)
        self.count(tokens, cost)
        return cost

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


def _output(schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the parameter that asks for an answer of a schema, if any."""
    if schema is None:
        return {}
    from anthropic import transform_schema

    return {"output_config": {"format": {"type": "json_schema", "schema": transform_schema(dict(schema))}}}


def _cacheable(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the messages with cache breakpoints after the first block and after the last one."""
    sent = [{"role": one["role"], "content": [_clean(block) for block in one["content"]]} for one in messages]
    sent[0]["content"][0].update(_CACHED)
    if sent[-1]["role"] == "user":
        sent[-1]["content"][-1].update(_CACHED)
    return sent


def _clean(value: Any) -> Any:
    """Return plain data whose texts JSON can carry."""
    if isinstance(value, str):
        return _utf8(value).decode()
    if isinstance(value, Mapping):
        return {str(name): _clean(one) for name, one in value.items()}
    return [_clean(one) for one in value] if isinstance(value, (list, tuple)) else value


def _over_budget(most_usd: float | None, max_usd: float) -> str:
    if most_usd is None:
        return "this model has no known price, so a budget in US dollars cannot be enforced"
    return f"the budget of the review is used up: ${max_usd:.4f} are left, and the next call could cost ${most_usd:.4f}"
