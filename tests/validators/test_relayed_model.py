"""Questions of a judging process to a model: one reply for each, bounded, and never another question's."""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from assay.llm import Completion, ModelUnavailable, Tool, Turn, WhyUnavailable
from assay.llm.prices import Tokens
from assay.validators.run import model_proxy
from assay.validators.run.model_proxy import (
    INVALID_QUESTION,
    MOST_QUESTION_CHARS,
    MOST_QUESTIONS,
    Answering,
    RelayedModel,
)


class Parrot:
    """A model that says what it was asked, and keeps how."""

    name = "parrot"

    def __init__(self) -> None:
        self.most: list[int] = []

    def complete(
        self, prompt: str, *, system: str = "", schema: Mapping[str, Any] | None = None, max_tokens: int = 4096
    ) -> Completion:
        self.most.append(max_tokens)
        if prompt == "no":
            raise ModelUnavailable("not this one")
        return Completion(f"{system} {prompt}", {"said": prompt}, self.name)


def joined(model: Any) -> tuple[RelayedModel, Parrot]:
    """Both ends, without a process between them."""
    relayed: RelayedModel

    def send(what: Mapping[str, Any]) -> None:
        relayed.hear(what)

    answering = Answering(model, send)
    relayed = RelayedModel("parrot", lambda line: answering.answer(line["ask"]))
    return relayed, model


def test_a_question_is_answered_by_the_model_at_the_other_end():
    relayed, parrot = joined(Parrot())
    given = relayed.complete("Hello", system="Be kind.", schema={"type": "object"}, max_tokens=10**9)
    assert (given.text, given.value, given.model) == ("Be kind. Hello", {"said": "Hello"}, "parrot")
    assert parrot.most == [8192]


def test_that_it_cannot_be_had_is_told_as_it_is():
    relayed, _ = joined(Parrot())
    with pytest.raises(ModelUnavailable, match="not this one"):
        relayed.complete("no")
    assert relayed.complete("yes").value == {"said": "yes"}


def test_questions_are_bounded_in_number_and_size():
    relayed, _ = joined(Parrot())
    with pytest.raises(ModelUnavailable, match="too long"):
        relayed.complete("x" * (MOST_QUESTION_CHARS + 1))
    for _ in range(MOST_QUESTIONS - 1):
        relayed.complete("again")
    with pytest.raises(ModelUnavailable, match="more than"):
        relayed.complete("again")


@pytest.mark.parametrize(
    "asked",
    [None, 7, [], {}, {"number": 1}, {"number": 1, "prompt": "x", "system": "", "schema": None, "max_tokens": "many"}],
)
def test_what_is_no_question_is_refused_and_nothing_breaks(asked: Any):
    sent: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
    Answering(Parrot(), sent.put).answer(asked)
    assert sent.get(timeout=10)["unavailable"] == INVALID_QUESTION


def test_nobody_waits_for_ever_and_a_late_reply_is_nobodys(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(model_proxy, "REPLY_WITHIN_S", 0.05)
    asked: list[Mapping[str, Any]] = []
    relayed = RelayedModel("slow", lambda line: asked.append(line["ask"]))
    with pytest.raises(ModelUnavailable, match=r"within 0\.05 s"):
        relayed.complete("first")
    monkeypatch.setattr(model_proxy, "REPLY_WITHIN_S", 10)
    relayed.hear({"number": 1, "text": "late"})
    threading.Timer(0.1, relayed.hear, [{"number": 2, "text": "in time"}]).start()
    assert relayed.complete("second").text == "in time"


# ------------------------------------------------------------------ turns of a conversation


class Conversing(Parrot):
    """A model that also holds conversations, and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[dict[str, Any]] = []

    def converse(self, messages: Any, **options: Any) -> Turn:
        self.sent.append({"messages": messages, **options})
        block = {"type": "tool_use", "id": "u", "name": "read", "input": {"path": "a"}}
        return Turn((block,), "tool_use", self.name, Tokens(num_in=7, num_cache_read=5), 0.25)


MESSAGES = [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]
READ = Tool("read", "Read.", {"type": "object"})


def test_a_turn_crosses_with_its_blocks_tokens_and_cost():
    model = Conversing()
    relayed, _ = joined(model)
    turn = relayed.converse(MESSAGES, system="Be kind.", tools=[READ], max_tokens=10**9, max_usd=0.5)
    assert (turn.stop_reason, turn.cost_usd, turn.tokens) == ("tool_use", 0.25, Tokens(num_in=7, num_cache_read=5))
    assert turn.tool_uses == ({"type": "tool_use", "id": "u", "name": "read", "input": {"path": "a"}},)
    (sent,) = model.sent
    assert (sent["messages"], sent["tools"], sent["max_usd"]) == (MESSAGES, [READ], 0.5)
    assert (sent["max_tokens"], sent["may_use_tools"]) == (model_proxy.MOST_TURN_TOKENS, True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"messages": []},
        {"messages": "Hello"},
        {"messages": [{"role": "system", "content": []}]},
        {"messages": [{"role": "user", "content": [{"type": "image", "source": {"url": "https://evil.example"}}]}]},
        {"tools": [{"type": "web_search", "name": "web_search"}]},
        {"tools": None},
        {"max_tokens": "many"},
        {"max_usd": "all of it"},
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "x" * (3 * 1024 * 1024)}]}]},
    ],
)
def test_a_turn_that_is_not_one_reaches_no_model(wrong: dict[str, Any]):
    replies: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
    model = Conversing()
    asked = {"number": 1, "messages": MESSAGES, "system": "", "tools": [], "schema": None, "max_tokens": 9}
    asked |= {"may_use_tools": True, "max_usd": None} | wrong
    Answering(model, replies.put).answer(asked)
    assert replies.get(timeout=5)["why"] == "unfit"
    assert model.sent == []


def test_turns_are_bounded_in_number(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(model_proxy, "MOST_TURNS", 2)
    relayed, _ = joined(Conversing())
    for _ in range(2):
        relayed.converse(MESSAGES)
    with pytest.raises(ModelUnavailable) as caught:
        relayed.converse(MESSAGES)
    assert caught.value.why is WhyUnavailable.budget
    assert relayed.complete("still").text


def test_a_model_without_conversations_says_so():
    relayed, _ = joined(Parrot())
    with pytest.raises(ModelUnavailable) as caught:
        relayed.converse(MESSAGES)
    assert caught.value.why is WhyUnavailable.not_set_up


def test_questions_of_several_threads_get_their_own_replies():
    relayed, _ = joined(Parrot())
    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(lambda number: relayed.complete(f"q{number}").text, range(5)))
    assert answers == [f" q{number}" for number in range(5)]
