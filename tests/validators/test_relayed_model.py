"""Questions of a judging process to a model: one reply for each, bounded, and never another question's."""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from assay.llm import ModelUnavailable, Tool, Turn, WhyUnavailable
from assay.llm.prices import Tokens
from assay.validators.run import model_proxy
from assay.validators.run.model_proxy import INVALID_QUESTION, Answering, RelayedModel


class Conversing:
    """A model that repeats the system prompt and requests a tool, and keeps what it was sent."""

    name = "parrot"

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def converse(self, messages: Any, **options: Any) -> Turn:
        self.sent.append({"messages": messages, **options})
        if options["system"] == "no":
            raise ModelUnavailable("not this one")
        text = {"type": "text", "text": options["system"]}
        use = {"type": "tool_use", "id": "u", "name": "read", "input": {"path": "a"}}
        return Turn((text, use), "tool_use", self.name, Tokens(num_in=7, num_cache_read=5), 0.25)


def joined(model: Any) -> tuple[RelayedModel, Any]:
    """Both ends, without a process between them."""
    relayed: RelayedModel

    def send(what: Mapping[str, Any]) -> None:
        relayed.hear(what)

    answering = Answering(model, send)
    relayed = RelayedModel("parrot", lambda line: answering.answer(line["ask"]))
    return relayed, model


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


def test_that_it_cannot_be_had_is_told_as_it_is():
    relayed, _ = joined(Conversing())
    with pytest.raises(ModelUnavailable, match="not this one"):
        relayed.converse(MESSAGES, system="no")
    assert relayed.converse(MESSAGES, system="yes").blocks[0]["text"] == "yes"


@pytest.mark.parametrize("asked", [None, 7, [], {}, {"number": 1}, {"number": 1, "prompt": "x"}])
def test_what_is_no_question_is_refused_and_nothing_breaks(asked: Any):
    sent: queue.SimpleQueue[Mapping[str, Any]] = queue.SimpleQueue()
    Answering(Conversing(), sent.put).answer(asked)
    assert sent.get(timeout=10)["unavailable"] == INVALID_QUESTION


def test_nobody_waits_for_ever_and_a_late_reply_is_nobodys(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(model_proxy, "TURN_WITHIN_S", 0.05)
    asked: list[Mapping[str, Any]] = []
    relayed = RelayedModel("slow", lambda line: asked.append(line["ask"]))
    with pytest.raises(ModelUnavailable, match=r"within 0\.05 s"):
        relayed.converse(MESSAGES)
    monkeypatch.setattr(model_proxy, "TURN_WITHIN_S", 10)
    reply: dict[str, Any] = {"stop_reason": "end_turn", "model": "slow", "tokens": {}, "cost_usd": None}
    late, in_time = ({**reply, "blocks": [{"type": "text", "text": text}]} for text in ("late", "in time"))
    relayed.hear({"number": 1, **late})
    threading.Timer(0.1, relayed.hear, [{"number": 2, **in_time}]).start()
    assert relayed.converse(MESSAGES).blocks[0]["text"] == "in time"


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


def test_without_a_model_it_says_so():
    relayed, _ = joined(None)
    with pytest.raises(ModelUnavailable) as caught:
        relayed.converse(MESSAGES)
    assert caught.value.why is WhyUnavailable.not_set_up


def test_questions_of_several_threads_get_their_own_replies():
    relayed, _ = joined(Conversing())
    with ThreadPoolExecutor(5) as pool:
        turns = list(pool.map(lambda number: relayed.converse(MESSAGES, system=f"q{number}"), range(5)))
    assert [turn.blocks[0]["text"] for turn in turns] == [f"q{number}" for number in range(5)]
