"""Model proxy for the validation process: the parent process calls the model.

The validation process has no credential and opens no connection. It writes a question as a line of its answer, and
reads the reply as a line of its standard input.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping
from typing import Any

from assay.llm import Completion, LanguageModel, ModelUnavailable

MOST_QUESTIONS = 10
"""Maximum questions per validation; two are in use, for learned rules and for the repository's rules in prose."""
MOST_QUESTION_CHARS = 512 * 1024
MOST_ANSWER_TOKENS = 8_192
REPLY_WITHIN_S = 60.0
"""Seconds to wait for one reply, retries of the service included."""
INVALID_QUESTION = "the question is invalid"


class RelayedModel:
    """Model that sends questions through `say` and gets replies by `hear`; thread-safe, one question at a time."""

    def __init__(self, name: str, say: Callable[[Mapping[str, Any]], None]) -> None:
        self._name = name
        self._say = say
        self._replies: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._num_asked = 0

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._name

    def hear(self, reply: Mapping[str, Any]) -> None:
        """Accept a reply."""
        self._replies.put(reply)

    def complete(
        self, prompt: str, *, system: str = "", schema: Mapping[str, Any] | None = None, max_tokens: int = 4096
    ) -> Completion:
        """Return a completion, as `LanguageModel.complete` does."""
        with self._lock:
            self._num_asked += 1
            number = self._num_asked
            asked = {"number": number, "prompt": prompt, "system": system, "schema": schema, "max_tokens": max_tokens}
            self._say({"ask": asked})
            while True:
                try:
                    reply = self._replies.get(timeout=REPLY_WITHIN_S)
                except queue.Empty:
                    raise ModelUnavailable(f"no answer within {REPLY_WITHIN_S:g} s") from None
                if reply.get("number") == number:  # a late reply belongs to a question that timed out
                    return _completion(reply)


class Answering:
    """Parent's end: passes the questions of one validation process to the model, within limits."""

    def __init__(self, model: LanguageModel | None, send: Callable[[Mapping[str, Any]], None]) -> None:
        self._model = model
        self._send = send
        self._num_asked = 0

    def answer(self, asked: Any) -> None:
        """Answer a question in a separate thread, so that the caller keeps watching the process."""
        self._num_asked += 1
        if self._num_asked <= MOST_QUESTIONS:
            threading.Thread(target=self._answer, args=(asked,), name="asking a model", daemon=True).start()
        else:
            self._refuse(asked, f"more than {MOST_QUESTIONS} questions for one change")

    def _answer(self, asked: Any) -> None:
        try:
            self._send({"number": asked["number"], **self._reply(asked)})
        except ModelUnavailable as error:
            self._refuse(asked, error.text)
        except (LookupError, TypeError, ValueError):
            self._refuse(asked, INVALID_QUESTION)

    def _reply(self, asked: Any) -> dict[str, Any]:
        if self._model is None:
            raise ModelUnavailable("no model is configured")
        prompt, system, schema = str(asked["prompt"]), str(asked["system"]), asked["schema"]
        if len(prompt) + len(system) > MOST_QUESTION_CHARS:
            raise ModelUnavailable("the question is too long")
        most = min(MOST_ANSWER_TOKENS, int(asked["max_tokens"]))
        given = self._model.complete(prompt, system=system, schema=schema, max_tokens=most)
        return {"text": given.text, "value": given.value, "model": given.model}

    def _refuse(self, asked: Any, why: str) -> None:
        number = asked.get("number") if isinstance(asked, dict) else None
        self._send({"number": number, "unavailable": why})


def _completion(reply: Mapping[str, Any]) -> Completion:
    if "unavailable" in reply:
        raise ModelUnavailable(str(reply["unavailable"]))
    return Completion(text=str(reply.get("text", "")), value=reply.get("value"), model=str(reply.get("model", "")))
