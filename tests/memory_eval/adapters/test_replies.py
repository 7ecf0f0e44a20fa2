"""Whatever an agent replies: either a response that is as agreed, or one line that says why not."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from assay.memory_eval import AgentCallFailed, AgentResponse
from assay.memory_eval.adapters.in_process import InProcessAgent
from assay.memory_eval.adapters.replies import response_from, stats_from

FIELDS = ("answer", "confidence", "sources", "value")
ANYTHING = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text() | some.binary(),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text() | some.sampled_from(FIELDS), inner),
    max_leaves=8,
)


@given(ANYTHING)
def test_a_reply_is_a_response_or_a_failed_call_in_one_line(value):
    try:
        response = response_from(value)
    except AgentCallFailed as failed:
        line = str(failed)
    else:
        line = ""
        assert isinstance(response.answer.encode("utf-8"), bytes)
        assert response.confidence is None or 0 <= response.confidence <= 1
        assert all(isinstance(source, str) for source in response.sources)
    assert "\n" not in line
    assert len(line) < 400


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (date(2025, 3, 14), "2025-03-14"),
        (datetime(2025, 3, 14, 9, 12, tzinfo=UTC), "2025-03-14 09:12:00+00:00"),
        (Decimal("4.7"), 4.7),
        ((1, 2), [1, 2]),
    ],
)
def test_a_value_of_python_becomes_json(value, kept):
    assert response_from({"answer": "", "value": value}).value == kept


@pytest.mark.parametrize("value", [object(), float("nan"), b"bytes", "x" * 20_001])
def test_a_value_that_is_no_short_json_fails_the_call(value):
    with pytest.raises(AgentCallFailed, match=r"agent\.invalid-reply"):
        response_from({"answer": "", "value": value})


@given(ANYTHING)
def test_stats_are_plain_data_or_a_failed_call(value):
    try:
        stats = stats_from(value)
    except AgentCallFailed:
        return
    assert json.loads(json.dumps(stats, allow_nan=False)) == stats


class Tricky:
    """Looks like a response until somebody looks."""

    @property
    def answer(self) -> str:
        raise RuntimeError("changed its mind")


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize("value", [Tricky(), Unspeakable(), {"answer": Unspeakable()}, {"answer": "x", "sources": 3}])
def test_a_reply_that_breaks_when_it_is_looked_at_is_a_failed_call(value: object):
    class Agent:
        def learn(self, content: str) -> None: ...

        def answer(self, question: str) -> object:
            return value

    with pytest.raises(AgentCallFailed):
        InProcessAgent(Agent(), 5).answer("?")


def test_what_is_agreed_comes_through():
    said = {"answer": "x", "confidence": 1, "tokens_in": 0, "tokens_out": 2**40, "sources": ["a"] * 200, "more": {}}
    assert response_from(said) == AgentResponse("x", 1.0, 0, 2**40, ("a",) * 100)
    assert math.isclose(response_from({"answer": "", "confidence": 0.1}).confidence or 0.0, 0.1)
