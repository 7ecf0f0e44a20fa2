"""Model proxy for the validation process: the parent process calls the model.

The validation process has no credential and opens no connection. It writes a question as a line of its answer, and
reads the reply as a line of its standard input. A question is a prompt, or one turn of a conversation: the tools run in
the validation process, and every message crosses as data that is rebuilt here from its known fields.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from assay.llm import Completion, ConversingModel, LanguageModel, ModelUnavailable, Tool, Turn, WhyUnavailable
from assay.llm.conversing import Message, known_blocks, known_messages, known_tools, size_of
from assay.llm.prices import Tokens

MOST_QUESTIONS = 10
"""Maximum prompts per validation; two are in use, for learned rules and for the repository's rules in prose."""
MOST_TURNS = 400
"""Maximum turns per validation: forty conversations of ten turns. Their cost is bounded by the budget."""
MOST_QUESTION_CHARS = 512 * 1024
MOST_TURN_BYTES = 2 * 1024 * 1024
"""Maximum size of the messages and tools of one turn, about half of the largest context window."""
MOST_ANSWER_TOKENS = 8_192
MOST_TURN_TOKENS = 32_000
REPLY_WITHIN_S = 60.0
"""Seconds to wait for the reply to a prompt, retries of the service included."""
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

    def complete(
        self, prompt: str, *, system: str = "", schema: Mapping[str, Any] | None = None, max_tokens: int = 4096
    ) -> Completion:
        """Return a completion, as `LanguageModel.complete` does."""
        asked = {"prompt": prompt, "system": system, "schema": schema, "max_tokens": max_tokens}
        reply = self._reply_to(asked, REPLY_WITHIN_S)
        return Completion(text=str(reply.get("text", "")), value=reply.get("value"), model=str(reply.get("model", "")))

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
        reply = self._reply_to(asked, TURN_WITHIN_S)
        return Turn(
            known_blocks(reply["blocks"]),
            str(reply["stop_reason"]),
            str(reply["model"]),
            Tokens(**reply["tokens"]),
            reply["cost_usd"],
        )

    def _reply_to(self, asked: Mapping[str, Any], within_s: float) -> Mapping[str, Any]:
        waiting: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        with self._lock:
            self._num_asked += 1
            number = self._num_asked
            self._waiting[number] = waiting
        try:
            self._say({"ask": {"number": number, **asked}})
            reply = waiting.get(timeout=within_s)
        except queue.Empty:
            raise ModelUnavailable(f"no answer within {within_s:g} s") from None
        finally:
            with self._lock:
                del self._waiting[number]
        if "unavailable" in reply:
            raise ModelUnavailable(str(reply["unavailable"]), WhyUnavailable(reply.get("why", "unreachable")))
        return reply


class Answering:
    """Parent's end: passes the questions of one validation process to the model, within limits."""

    def __init__(self, model: LanguageModel | None, send: Callable[[Mapping[str, Any]], None]) -> None:
        self._model = model
        self._send = send
        self._num_asked = {False: 0, True: 0}

    def answer(self, asked: Any) -> None:
        """Answer a question in a separate thread, so that the caller keeps watching the process."""
        is_turn = isinstance(asked, dict) and "messages" in asked
        self._num_asked[is_turn] += 1
        most = MOST_TURNS if is_turn else MOST_QUESTIONS
        if self._num_asked[is_turn] <= most:
            threading.Thread(target=self._answer, args=(asked,), name="asking a model", daemon=True).start()
        else:
            self._refuse(asked, ModelUnavailable(f"more than {most} questions for one change", WhyUnavailable.budget))

    def _answer(self, asked: Any) -> None:
        try:
            reply = self._turn(asked) if "messages" in asked else self._completion(asked)
            self._send({"number": asked["number"], **reply})
        except ModelUnavailable as error:
            self._refuse(asked, error)
        except (LookupError, TypeError, ValueError, AttributeError):
            self._refuse(asked, ModelUnavailable(INVALID_QUESTION, WhyUnavailable.unfit))

    def _completion(self, asked: Any) -> dict[str, Any]:
        prompt, system, schema = str(asked["prompt"]), str(asked["system"]), asked["schema"]
        if len(prompt) + len(system) > MOST_QUESTION_CHARS:
            raise ModelUnavailable("the question is too long", WhyUnavailable.unfit)
        most = min(MOST_ANSWER_TOKENS, int(asked["max_tokens"]))
        given = self._known_model().complete(prompt, system=system, schema=schema, max_tokens=most)
        return {"text": given.text, "value": given.value, "model": given.model}

    def _turn(self, asked: Any) -> dict[str, Any]:
        model: Any = self._known_model()
        if not hasattr(model, "converse"):
            raise ModelUnavailable("the model holds no conversations", WhyUnavailable.not_set_up)
        if size_of([asked["messages"], asked["tools"], asked["system"]]) > MOST_TURN_BYTES:
            raise ModelUnavailable("the question is too long", WhyUnavailable.unfit)
        conversing: ConversingModel = model
        max_usd = asked["max_usd"]
        turn = conversing.converse(
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

    def _known_model(self) -> LanguageModel:
        if self._model is None:
            raise ModelUnavailable("no model is configured", WhyUnavailable.not_set_up)
        return self._model

    def _refuse(self, asked: Any, error: ModelUnavailable) -> None:
        number = asked.get("number") if isinstance(asked, dict) else None
        self._send({"number": number, "unavailable": error.text, "why": str(error.why)})
