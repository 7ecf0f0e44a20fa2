"""Conversations with tools: one turn is one call of the API, and `converse_with_tools` runs the tools in between.

    tools = {"read": (Tool("read", "Read a file.", SCHEMA), lambda given: …)}
    ended = converse_with_tools(model, [first], system=SYSTEM, tools=tools, schema=ANSWER, limits=Limits())
    ended.value

Messages and blocks are plain mappings in the form of the Messages API, rebuilt from known fields wherever they cross a
process or come from a server.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from assay.llm.language_model import ModelUnavailable, WhyUnavailable
from assay.llm.prices import Tokens
from assay.llm.structured import parsed

Block = Mapping[str, Any]
Message = Mapping[str, Any]
_FIELDS: Mapping[str, Mapping[str, type]] = {
    "text": {"text": str},
    "tool_use": {"id": str, "name": str, "input": dict},
    "tool_result": {"tool_use_id": str, "content": str, "is_error": bool},
    "thinking": {"thinking": str, "signature": str},
    "redacted_thinking": {"data": str},
}
"""Type of a block -> the fields that are kept, all required. A thinking block is returned unchanged."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Tool that a model may request; `input_schema` is the JSON Schema of its input, an object."""

    name: str
    description: str
    input_schema: Mapping[str, Any]

    def to_data(self) -> dict[str, Any]:
        """Return the tool as the API takes it."""
        return {"name": self.name, "description": self.description, "input_schema": dict(self.input_schema)}


@dataclass(frozen=True, slots=True)
class Turn:
    """Answer of a model to one call, complete or not: see `stop_reason`."""

    blocks: tuple[Block, ...]
    stop_reason: str
    model: str = ""
    tokens: Tokens = field(default_factory=Tokens)
    cost_usd: float | None = None

    @property
    def text(self) -> str:
        """Text of the answer, without thinking."""
        return "".join(block["text"] for block in self.blocks if block["type"] == "text")

    @property
    def tool_uses(self) -> tuple[Block, ...]:
        """Requests for tools, in order."""
        return tuple(block for block in self.blocks if block["type"] == "tool_use")


class ConversingModel(Protocol):
    """Language model that holds conversations with tools."""

    @property
    def name(self) -> str:
        """Name of the model."""

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
        """Return the model's next turn; the prefix of tools, system and first block is cached.

        Raises:
            ModelUnavailable: no turn, or one that could cost more than `max_usd`.
        """


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a conversation: turns, bytes of one result and of all results, seconds, and tokens of one turn."""

    turns: int = 12
    result_bytes: int = 8_192
    all_bytes: int = 96_000
    seconds: float = 300.0
    max_tokens: int = 8_192


@dataclass(frozen=True, slots=True)
class Ended:
    """Answer of a conversation, the number of its calls, and what they used."""

    text: str
    value: Mapping[str, Any] | None
    num_calls: int
    tokens: Tokens
    cost_usd: float | None


RunTool = Callable[[Mapping[str, Any]], str]
"""Function from a tool's input to its result; raises `ValueError` with one line for the model."""


def converse_with_tools(
    model: ConversingModel,
    messages: Sequence[Message],
    *,
    system: str = "",
    tools: Mapping[str, tuple[Tool, RunTool]],
    schema: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Ended:
    """Hold a conversation until the model answers; run the tools it requests.

    In the last turn, and once the results have used up their bytes or seconds, it may not use tools.

    Raises:
        ModelUnavailable: no complete answer, or one that does not fit the schema.
    """
    limits = limits or Limits()
    said = list(messages)
    results = _Results(tools, limits)
    deadline = clock() + limits.seconds
    turns: list[Turn] = []
    while True:
        is_last = len(turns) + 1 >= limits.turns or results.left <= 0 or clock() >= deadline
        turn = model.converse(
            said,
            system=system,
            tools=[tool for tool, _ in tools.values()],
            schema=schema,
            max_tokens=limits.max_tokens,
            may_use_tools=bool(tools) and not is_last,
        )
        turns.append(turn)
        if turn.stop_reason in ("tool_use", "pause_turn") and not is_last:
            said.append({"role": "assistant", "content": list(turn.blocks)})
            if turn.tool_uses:
                said.append({"role": "user", "content": [results.of(use) for use in turn.tool_uses]})
            continue
        text = complete_text(turn.text, turn.stop_reason)
        value = None if schema is None else parsed(text, schema)
        return Ended(text, value, len(turns), _sum_of_tokens(turns), _cost_of(turns))


class _Results:
    """Runner of the tools; bounds each result and their sum."""

    def __init__(self, tools: Mapping[str, tuple[Tool, RunTool]], limits: Limits) -> None:
        self._tools = tools
        self._limits = limits
        self.left = limits.all_bytes

    def of(self, use: Block) -> Block:
        """Return the result block of one request; an unknown tool or an invalid input is an error result."""
        known = self._tools.get(use["name"])
        try:
            if known is None:
                raise ValueError(f"there is no tool {use['name'][:60]!r}: use one of {', '.join(self._tools)}")
            tool, run = known
            _check_input(use["input"], tool)
            content, is_error = self._cut(run(use["input"])), False
        except ValueError as error:
            content, is_error = str(error)[:500], True
        self.left -= len(content.encode("utf-8", "replace"))
        return {"type": "tool_result", "tool_use_id": use["id"], "content": content, "is_error": is_error}

    def _cut(self, text: str) -> str:
        most = max(0, min(self._limits.result_bytes, self.left))
        data = text.encode("utf-8", "replace")
        if len(data) <= most:
            return text
        return data[:most].decode("utf-8", "ignore") + f"\n[cut: {len(data) - most} more bytes]"


def _check_input(given: Mapping[str, Any], tool: Tool) -> None:
    """Raise `ValueError` for an input that does not fit the tool's schema."""
    import jsonschema

    try:
        jsonschema.Draft202012Validator(tool.input_schema).validate(given)
    except jsonschema.ValidationError as error:
        place = ".".join(map(str, error.absolute_path)) or "input"
        raise ValueError(f"invalid input: {place}: {error.message[:200]}") from None


def complete_text(text: str, stop_reason: str, *, refusal: str = "", shown: str = "") -> str:
    """Return the text of a complete answer; raise `ModelUnavailable` for any other.

    `refusal` and `shown` are the server's words for a refusal and for the reason, for the message.
    """
    if stop_reason == "refusal":
        said = f": {refusal}" if refusal else ""
        raise ModelUnavailable(f"the model refused to answer{said}", WhyUnavailable.refused)
    if stop_reason not in ("end_turn", "stop_sequence"):
        unknown = f"the model stopped for an unknown reason{f': {shown}' if shown else ''}"
        raise ModelUnavailable(_NOT_WHOLE.get(stop_reason, unknown), WhyUnavailable.truncated)
    if not text.strip():
        raise ModelUnavailable("the model returned an empty answer", WhyUnavailable.truncated)
    return text


_NOT_WHOLE = {
    "max_tokens": "the model's answer was cut off at the token limit",
    "model_context_window_exceeded": "the model's answer was cut off: the context window is full",
    "pause_turn": "the model paused before its answer was complete",
    "tool_use": "the model requested a tool instead of answering",
    "": "the model's answer ended early",
}
"""Stop reason of an incomplete answer -> message."""


def known_blocks(content: Any, *, strict: bool = False) -> tuple[Block, ...]:
    """Return blocks rebuilt from their known fields; unknown types are left out.

    Raises:
        ValueError: the content is not a list of mappings, a field is missing or of another type, or, if `strict`, a
            type is unknown.
    """
    if not isinstance(content, (list, tuple)):
        raise ValueError("content is not a list")
    return tuple(_known_blocks(content, strict=strict))


def _known_blocks(content: Sequence[Any], *, strict: bool) -> Iterator[Block]:
    for block in content:
        fields = _FIELDS.get(str(block.get("type"))) if isinstance(block, Mapping) else {}
        if fields is None and not strict:
            continue
        if not fields or not all(isinstance(block.get(name), kind) for name, kind in fields.items()):
            raise ValueError("a block is invalid")
        yield {"type": block["type"], **{name: block[name] for name in fields}}


def known_messages(messages: Any) -> list[dict[str, Any]]:
    """Return messages rebuilt from their known fields.

    Raises:
        ValueError: an invalid message, or none.
    """
    if not isinstance(messages, list) or not messages:
        raise ValueError("there are no messages")
    found = []
    for message in messages:
        if not isinstance(message, Mapping) or message.get("role") not in ("user", "assistant"):
            raise ValueError("a message is invalid")
        found.append({"role": message["role"], "content": list(known_blocks(message.get("content"), strict=True))})
    return found


def known_tools(tools: Any) -> list[Tool]:
    """Return tools rebuilt from their known fields.

    Raises:
        ValueError: an invalid tool.
    """
    if not isinstance(tools, list):
        raise ValueError("tools is not a list")
    for tool in tools:
        if not isinstance(tool, Mapping) or not isinstance(tool.get("input_schema"), Mapping):
            raise ValueError("a tool is invalid")
    return [Tool(str(tool["name"]), str(tool["description"]), tool["input_schema"]) for tool in tools]


def size_of(data: Any) -> int:
    """Return the bytes of plain data as JSON; no text has more tokens than that."""
    return len(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))


def _sum_of_tokens(turns: Sequence[Turn]) -> Tokens:
    total = Tokens()
    for turn in turns:
        total += turn.tokens
    return total


def _cost_of(turns: Sequence[Turn]) -> float | None:
    costs = [turn.cost_usd for turn in turns if turn.cost_usd is not None]
    return sum(costs) if len(costs) == len(turns) else None
