"""Model proxy for the validation process: the parent process calls the model.

The validation process has no credential and opens no connection. It writes a question as a line of its answer, and
reads the reply as a line of its standard input. A question is one turn of a conversation: the tools run in the
validation process, and every message crosses as data that is rebuilt here from its known fields.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from assay.llm import ConversingModel, ModelUnavailable, Tool, Turn, WhyUnavailable
from assay.llm.conversing import Message, known_blocks, known_messages, known_tools, size_of
from assay.llm.prices import Tokens

MOST_TURNS = 400
"""Maximum turns per validation: forty conversations of ten turns. Their cost is bounded by the budget."""
MOST_TURN_BYTES = 2 * 1024 * 1024
"""Maximum size of the messages and tools of one turn, about half of the largest context window."""
MOST_TURN_TOKENS = 32_000
TURN_WITHIN_S = 600.0
"""Seconds to wait for a turn, which may think for minutes."""
INVALID_QUESTION = "the question is invalid"


class RelayedModel:
    """Model that sends questions through `say` and gets replies by `hear`; thread-safe."""

    def __init__(self, name: str, say: Callable[[Mapping[str, Any]], None]) -> None:
        self._name = name
        self._say = say
        self._waiting: dict[int, queue.SimpleQueue[Mapping[str, Any]]] = {}
        self._lock = threading.Lock()
        self._num_asked = 0

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._name

    def hear(self, reply: Mapping[str, Any]) -> None:
        """Accept a reply; one that arrives after its time-out is ignored."""
        with self._lock:
            waiting = self._waiting.get(reply.get("number", 0))
        if waiting is not None:
            waiting.put(reply)

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
        """Return the next turn, as `ConversingModel.converse` does."""
        asked = {
            "messages": [{"role": one["role"], "content": list(one["content"])} for one in messages],
            "system": system,
            "tools": [tool.to_data() for tool in tools],
            "schema": schema,
            "max_tokens": max_tokens,
            "may_use_tools": may_use_tools,
            "max_usd": max_usd,
        }
        reply = self._reply_to(asked)
        return Turn(
            known_blocks(reply["blocks"]),
            str(reply["stop_reason"]),
            str(reply["model"]),
            Tokens(**reply["tokens"]),
            reply["cost_usd"],
        )

    def _reply_to(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        waiting: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        with self._lock:
            self._num_asked += 1
            number = self._num_asked
            self._waiting[number] = waiting
        try:
            self._say({"ask": {"number": number, **asked}})
            reply = waiting.get(timeout=TURN_WITHIN_S)
        except queue.Empty:
            raise ModelUnavailable(f"no answer within {TURN_WITHIN_S:g} s") from None
        finally:
            with self._lock:
                del self._waiting[number]
        if "unavailable" in reply:
            raise ModelUnavailable(str(reply["unavailable"]), WhyUnavailable(reply.get("why", "unreachable")))
        return reply


class Answering:
    """Parent's end: passes the questions of one validation process to the model, within limits."""

    def __init__(self, model: ConversingModel | None, send: Callable[[Mapping[str, Any]], None]) -> None:
        self._model = model
        self._send = send
        self._num_asked = 0

    def answer(self, asked: Any) -> None:
        """Answer a question in a separate thread, so that the caller keeps watching the process."""
        self._num_asked += 1
        if self._num_asked <= MOST_TURNS:
            threading.Thread(target=self._answer, args=(asked,), name="asking a model", daemon=True).start()
        else:
            error = ModelUnavailable(f"more than {MOST_TURNS} questions for one change", WhyUnavailable.budget)
            self._refuse(asked, error)

    def _answer(self, asked: Any) -> None:
        try:
            self._send({"number": asked["number"], **self._turn(asked)})
        except ModelUnavailable as error:
            self._refuse(asked, error)
        except (LookupError, TypeError, ValueError, AttributeError):
            self._refuse(asked, ModelUnavailable(INVALID_QUESTION, WhyUnavailable.unfit))

    def _turn(self, asked: Any) -> dict[str, Any]:
        if self._model is None:
            raise ModelUnavailable("no model is configured", WhyUnavailable.not_set_up)
        if size_of([asked["messages"], asked["tools"], asked["system"]]) > MOST_TURN_BYTES:
            raise ModelUnavailable("the question is too long", WhyUnavailable.unfit)
        max_usd = asked["max_usd"]
        turn = self._model.converse(
            known_messages(asked["messages"]),
            system=str(asked["system"]),
            tools=known_tools(asked["tools"]),
            schema=asked["schema"],
            max_tokens=min(MOST_TURN_TOKENS, int(asked["max_tokens"])),
            may_use_tools=asked["may_use_tools"] is True,
            max_usd=None if max_usd is None else float(max_usd),
        )
        return {
            "blocks": [dict(block) for block in turn.blocks],
            "stop_reason": turn.stop_reason,
            "model": turn.model,
            "tokens": asdict(turn.tokens),
            "cost_usd": turn.cost_usd,
        }

    def _refuse(self, asked: Any, error: ModelUnavailable) -> None:
        number = asked.get("number") if isinstance(asked, dict) else None
        self._send({"number": number, "unavailable": error.text, "why": str(error.why)})
