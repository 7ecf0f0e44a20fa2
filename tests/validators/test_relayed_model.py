"""Questions of a judging process to a model: one reply for each, bounded, and never another question's."""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping
from typing import Any

import pytest

from assay.llm import Completion, ModelUnavailable
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
