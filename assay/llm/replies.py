"""Responses and errors of the Anthropic API, classified for retries."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ValidationError

from assay.llm.conversing import Turn, complete_text, known_blocks
from assay.llm.language_model import WhyUnavailable
from assay.llm.prices import Tokens

_MAY_PASS = {408, 409, 429}
_CLOUDS = ("botocore.", "boto3.", "google.auth.")
"""Modules of cloud libraries that raise their own errors for missing credentials."""


def _count(value: object) -> object:
    return 0 if value is None else value


Count = Annotated[int, BeforeValidator(_count)]


class _CacheCreation(BaseModel):
    ephemeral_1h_input_tokens: Count = 0


class Usage(BaseModel):
    """Charged tokens as the API reports them."""

    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_creation_input_tokens: Count = 0
    cache_read_input_tokens: Count = 0
    cache_creation: _CacheCreation | None = None

    @property
    def tokens(self) -> Tokens:
        """Token counts by price category."""
        written_1h = self.cache_creation.ephemeral_1h_input_tokens if self.cache_creation else 0
        return Tokens(
            num_in=self.input_tokens,
            num_out=self.output_tokens,
            num_cache_written=max(0, self.cache_creation_input_tokens - written_1h),
            num_cache_written_1h=written_1h,
            num_cache_read=self.cache_read_input_tokens,
        )


class _Block(BaseModel):
    type: str
    text: str | None = None


class _StopDetails(BaseModel):
    category: str | None = None
    explanation: str | None = None


class Reply(BaseModel):
    """Message of the API, reduced to the fields in use."""

    content: list[_Block]
    stop_reason: str | None
    stop_details: _StopDetails | None = None
    usage: Usage
    model: str = ""

    def text(self, hide: Callable[[str], str]) -> str:
        """Return the answer without thinking blocks.

        Raises:
            ModelUnavailable: the model refused, or the answer is incomplete.
        """
        details, reason = self.stop_details, self.stop_reason or ""
        refusal = hide(f"{details.category or ''} {details.explanation or ''}") if details else ""
        text = "".join(block.text or "" for block in self.content if block.type == "text")
        return complete_text(text, reason, refusal=refusal, shown=hide(reason))


@dataclass(frozen=True, slots=True)
class Trouble:
    """Failed call. `wait_s` is the pause in seconds that the server asks for."""

    message: str
    why: WhyUnavailable
    may_pass: bool = False
    may_be_charged: bool = False
    wait_s: float | None = None


class NoReply(Exception):
    """Successful response whose body is not a message of the API."""


def reply_of(body: bytes) -> Reply:
    """Parse a message from a response body.

    Raises:
        NoReply: the body is not a message.
    """
    try:
        return Reply.model_validate_json(body)
    except ValidationError:
        raise NoReply from None


def turn_of(message: Any) -> Turn:
    """Return a streamed message of the SDK as a turn.

    Raises:
        NoReply: the stream ended before the message did, or it is not a message of the API.
    """
    data = message.to_dict()
    try:
        reply = Reply.model_validate(data)
        blocks = known_blocks(data["content"])
    except (ValidationError, ValueError, LookupError):
        raise NoReply from None
    if reply.stop_reason is None:
        raise NoReply
    return Turn(blocks, reply.stop_reason, reply.model, reply.usage.tokens)


def trouble_of(error: Exception, hide: Callable[[str], str]) -> Trouble:
    """Classify an error of the client; re-raise other errors."""
    import anthropic
    import httpx2

    if isinstance(error, anthropic.APIStatusError):
        return _status(error, hide)
    if isinstance(error, anthropic.APITimeoutError):
        return Trouble("the model did not answer in time", WhyUnavailable.unreachable, True, True)
    if isinstance(error, (anthropic.APIConnectionError, httpx2.HTTPError)):
        return Trouble("the connection to the model broke or could not be made", WhyUnavailable.unreachable, True, True)
    if isinstance(error, (NoReply, ValueError)):  # of a stream, an event that is not JSON
        return Trouble("the response is not a message of the model", WhyUnavailable.unreachable, True, True)
    if isinstance(error, (anthropic.AnthropicError, ImportError)) or type(error).__module__.startswith(_CLOUDS):
        return Trouble(f"the model cannot be used: {hide(str(error))}", WhyUnavailable.not_set_up)
    raise error


def _status(error: Any, hide: Callable[[str], str]) -> Trouble:
    status: int = error.status_code
    if status == 200:  # an error event in a stream that began well
        kind = hide(str(getattr(error, "type", "") or error.body))
        return Trouble(f"the model's server broke off: {kind}", WhyUnavailable.busy, True, True)
    said = hide(str(error.api_message or ""))
    message = f"the model's server returned {status}{f': {said}' if said else ''}"
    asked = error.response.headers.get("x-should-retry")
    may_pass = status in _MAY_PASS or status >= 500 if asked not in ("true", "false") else asked == "true"
    if not may_pass:
        # 400, 413 and 422 concern this prompt only; other statuses affect every prompt.
        why = WhyUnavailable.unfit if status in (400, 413, 422) else WhyUnavailable.rejected
        return Trouble(message, why)
    return Trouble(message, WhyUnavailable.busy, True, False, _wait_s(error.response.headers))


def _wait_s(headers: Any) -> float | None:
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit_s
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        return max(0.0, parsedate_to_datetime(headers.get("retry-after", "")).timestamp() - time())
    except (TypeError, ValueError):
        return None
