"""Conversations with tools through the real client: what each fault of a server or a model leads to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.llm import AnthropicModel, Budget, ModelUnavailable, clients
from assay.llm.conversing import (
    Ended,
    Limits,
    Tool,
    Turn,
    converse_with_tools,
    known_blocks,
    known_messages,
    known_tools,
)
from assay.llm.language_model import WhyUnavailable
from tests.fakes.model import Breaks, Drops, Fails, FakeModel, Says, Sends

INPUT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["path"],
    "properties": {"path": {"type": "string"}},
}
ANSWER = {"type": "object", "additionalProperties": False, "required": ["n"], "properties": {"n": {"type": "integer"}}}
FIRST = [{"role": "user", "content": [{"type": "text", "text": "facts"}, {"type": "text", "text": "How many?"}]}]
Make = Callable[..., AnthropicModel]


def read(given: Mapping[str, Any]) -> str:
    if given["path"] == "none":
        raise ValueError("no such file")
    size = 100_000 if given["path"] == "large" else 0
    return f"content of {given['path']} {'x' * size}"


TOOLS = {"read": (Tool("read", "Read a file.", INPUT), read)}


def hold(model: AnthropicModel, messages: Any = FIRST, **options: Any) -> Ended:
    options = {"system": "Be exact.", "tools": TOOLS, "schema": ANSWER} | options
    return converse_with_tools(model, messages, **options)


def turn(model: AnthropicModel, messages: Any = FIRST, **options: Any) -> Turn:
    return model.converse(messages, system="Be exact.", tools=[TOOLS["read"][0]], schema=ANSWER, **options)


def use(path: str = "a.py", **more: Any) -> Says:
    return Says("", uses=[("read", {"path": path})], **more)


def test_a_tool_is_run_and_its_result_is_answered(server: FakeModel, model: Make):
    server.script += [use(thinking="Let me look."), Says({"n": 3})]
    ended = hold(model())
    assert (ended.value, ended.num_calls) == ({"n": 3}, 2)
    first, second = (asked.body for asked in server.asked)
    assert [one["role"] for one in second["messages"]] == ["user", "assistant", "user"]
    thought, requested = second["messages"][1]["content"]
    assert thought == {"type": "thinking", "thinking": "Let me look.", "signature": "s"}
    assert requested == {"type": "tool_use", "id": "use_0", "name": "read", "input": {"path": "a.py"}}
    (result,) = second["messages"][2]["content"]
    assert (result["tool_use_id"], result["content"], result["is_error"]) == ("use_0", "content of a.py ", False)
    assert first["stream"] is True
    assert first["tool_choice"] == {"type": "auto"}


@pytest.mark.parametrize(
    ("name", "path", "is_streamed"),
    [
        ("bedrock:anthropic.claude-sonnet-5-5", "/model/anthropic.claude-sonnet-5-5/invoke", False),
        ("vertex:claude-sonnet-5-5", "/publishers/anthropic/models/claude-sonnet-5-5:streamRawPredict", True),
    ],
)
def test_clouds_hold_conversations_within_a_budget(
    server: FakeModel, model: Make, monkeypatch: pytest.MonkeyPatch, name: str, path: str, is_streamed: bool
):
    monkeypatch.setattr(clients, "_is_there", lambda library: library != "botocore")  # as without anthropic[bedrock]
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("CLOUD_ML_REGION", "europe-west1")
    monkeypatch.setenv("ANTHROPIC_VERTEX_PROJECT_ID", "a-project")
    server.script += [use(), Says({"n": 3})]
    ended = hold(model(name, budget=Budget(max_usd=1.0)))
    assert (ended.value, ended.num_calls) == ({"n": 3}, 2)
    assert server.asked[0].path.endswith(path)
    assert bool(server.asked[0].body.get("stream")) is is_streamed


def test_the_prefix_is_the_same_in_every_turn_and_marked_for_the_cache(server: FakeModel, model: Make):
    server.script += [use(), use("b.py"), Says({"n": 3}, cache_read=90, tokens_in=10)]
    ended = hold(model())
    bodies = [asked.body for asked in server.asked]
    for body in bodies:
        assert (body["tools"], body["system"]) == (bodies[0]["tools"], bodies[0]["system"])
        assert body["system"][-1]["cache_control"] == {"type": "ephemeral"}
        assert body["messages"][0]["content"][0] == {
            "type": "text",
            "text": "facts",
            "cache_control": {"type": "ephemeral"},
        }
        marks = [block for one in body["messages"] for block in one["content"] if "cache_control" in block]
        assert len(marks) == 2
        assert "cache_control" in body["messages"][-1]["content"][-1]
    assert (ended.tokens.num_cache_read, ended.tokens.num_in) == (90, 210)
    assert ended.cost_usd is not None


def test_tools_requested_together_are_answered_in_one_message(server: FakeModel, model: Make):
    server.script += [Says("", uses=[("read", {"path": "a"}), ("read", {"path": "b"})]), Says({"n": 1})]
    hold(model())
    results = server.asked[1].body["messages"][-1]["content"]
    assert [one["tool_use_id"] for one in results] == ["use_0", "use_1"]


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("delete", {"path": "a"}, "there is no tool 'delete': use one of read"),
        ("read", {"file": "a"}, "invalid input"),
        ("read", {"path": 7}, "invalid input: path"),
        ("read", {"path": "none"}, "no such file"),
    ],
)
def test_a_wrong_request_is_an_error_result_and_the_conversation_goes_on(
    server: FakeModel, model: Make, name: str, given: Mapping[str, Any], said: str
):
    server.script += [Says("", uses=[(name, given)]), Says({"n": 1})]
    assert hold(model()).value == {"n": 1}
    (result,) = server.asked[1].body["messages"][-1]["content"]
    assert result["is_error"] is True
    assert result["content"].startswith(said)


def test_a_result_and_all_results_are_bounded(server: FakeModel, model: Make):
    server.answers = lambda asked: use("large") if asked.body["tool_choice"]["type"] == "auto" else Says({"n": 1})
    ended = hold(model(), limits=Limits(turns=50, result_bytes=1000, all_bytes=3500))
    results = [one for asked in server.asked for one in asked.body["messages"][-1]["content"] if "tool_use_id" in one]
    assert all(len(one["content"]) < 1100 for one in results)
    assert "[cut: " in results[0]["content"]
    assert (ended.num_calls, ended.value) == (5, {"n": 1})


def test_endless_requests_end_with_the_last_turn(server: FakeModel, model: Make):
    server.answers = lambda _: use()
    with pytest.raises(ModelUnavailable) as caught:
        hold(model(), limits=Limits(turns=4))
    assert (caught.value.why, len(server.asked)) == (WhyUnavailable.truncated, 4)
    assert [asked.body["tool_choice"]["type"] for asked in server.asked] == ["auto"] * 3 + ["none"]


def test_time_that_is_up_ends_the_use_of_tools(server: FakeModel, model: Make):
    server.script += [use(), Says({"n": 1})]
    moments = iter((0.0, 0.0, 1000.0))
    assert hold(model(), clock=lambda: next(moments)).num_calls == 2
    assert server.asked[1].body["tool_choice"] == {"type": "none"}


FAULTS: list[tuple[str, Any, WhyUnavailable | None]] = [
    ("429, then an answer", [Fails(429, headers={"retry-after": "0"}), Says({"n": 1})], None),
    ("529, then an answer", [Fails(529, kind="overloaded_error"), Says({"n": 1})], None),
    ("overloaded in the stream", [Breaks(Says({"n": 1}), error="overloaded_error"), Says({"n": 1})], None),
    ("cut in the stream", [Breaks(Says({"n": 1})), Says({"n": 1})], None),
    ("cut before its end", [Breaks(Says({"n": 1}), num_events=6), Says({"n": 1})], None),
    ("an event that is not JSON", [Breaks(Says({"n": 1}), garbage=b"{"), Says({"n": 1})], None),
    ("a connection that breaks", [Drops(), Says({"n": 1})], None),
    ("a page of a proxy", [Sends(b"<html>", "text/html"), Says({"n": 1})], None),
    ("529 without end", [Fails(529, kind="overloaded_error")] * 9, WhyUnavailable.busy),
    ("400", [Fails(400, kind="invalid_request_error")], WhyUnavailable.unfit),
    ("a wrong key", [Fails(401, kind="authentication_error")], WhyUnavailable.rejected),
    ("a refusal", [Says("", stop_reason="refusal")], WhyUnavailable.refused),
    ("max_tokens", [Says('{"n": ', stop_reason="max_tokens")], WhyUnavailable.truncated),
    ("a full context", [Says('{"n": 1}', stop_reason="model_context_window_exceeded")], WhyUnavailable.truncated),
    ("a pause, then an answer", [Says("Well,", stop_reason="pause_turn"), Says({"n": 1})], None),
    ("an unknown stop", [Says('{"n": 1}', stop_reason="tired")], WhyUnavailable.truncated),
    ("half of the JSON", [Says('{"n": ')], WhyUnavailable.unfit),
    ("another schema", [Says({"m": 1})], WhyUnavailable.unfit),
    ("a number as text", [Says({"n": "1"})], WhyUnavailable.unfit),
    ("prose", [Says("It is 1.")], WhyUnavailable.unfit),
    ("nothing", [Says(" ")], WhyUnavailable.truncated),
    ("a tool, then a refusal", [use(), Says("", stop_reason="refusal")], WhyUnavailable.refused),
    ("a tool, then a cut, then an answer", [use(), Breaks(Says({"n": 1})), Says({"n": 1})], None),
]


@pytest.mark.parametrize(("steps", "why"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_a_fault_is_retried_or_has_a_reason(
    server: FakeModel, model: Make, steps: list[Any], why: WhyUnavailable | None
):
    server.script += steps
    if why is None:
        assert hold(model()).value == {"n": 1}
        assert not server.script
        return
    with pytest.raises(ModelUnavailable) as caught:
        hold(model())
    assert caught.value.why is why


# ------------------------------------------------------------------ money


def test_tokens_are_counted_where_their_bytes_do_not_fit_the_budget(server: FakeModel, model: Make):
    server.answers = lambda _: Says({"n": 1})
    client = model("claude-opus-5-5")
    turn(client)
    assert not server.counted
    server.counts = lambda _: 10
    long = [{"role": "user", "content": [{"type": "text", "text": "x" * 1_000_000}]}]
    assert turn(client, long, max_usd=1.0).stop_reason == "end_turn"
    (counted,) = server.counted
    assert {"messages", "system", "tools", "output_config"} < set(counted)


def test_a_call_that_could_cost_more_than_is_left_is_not_made(server: FakeModel, model: Make):
    with pytest.raises(ModelUnavailable) as caught:
        turn(model("claude-opus-5-5"), max_usd=0.0001)
    assert (caught.value.why, server.asked) == (WhyUnavailable.budget, [])


def test_a_server_that_does_not_count_is_charged_by_bytes(server: FakeModel, model: Make):
    server.counts = None
    with pytest.raises(ModelUnavailable) as caught:
        turn(model("claude-opus-5-5"), max_usd=0.001)
    assert caught.value.why is WhyUnavailable.budget


def test_the_models_own_budget_holds_for_all_turns(server: FakeModel, model: Make):
    server.answers = lambda _: use()
    with pytest.raises(ModelUnavailable) as caught:
        hold(model(budget=Budget(max_calls=3)), limits=Limits(turns=10))
    assert (caught.value.why, len(server.asked)) == (WhyUnavailable.budget, 3)


def test_a_model_without_a_price_keeps_no_budget_in_dollars(server: FakeModel, model: Make):
    with pytest.raises(ModelUnavailable) as caught:
        turn(model("claude-unknown-9"), max_usd=5.0)
    assert (caught.value.why, server.asked) == (WhyUnavailable.budget, [])


# ------------------------------------------------------------------ what crosses a process

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(
        ("type", "text", "id", "name", "input", "role", "content", "tool_use_id", "is_error", "input_schema", "x")
    ), inner, max_size=5),
    max_leaves=20,
)  # fmt: skip


@given(JSON)
def test_only_known_fields_cross(value: Any):
    for read_data in (known_blocks, known_messages, known_tools):
        try:
            read_data(value)
        except (ValueError, KeyError):
            continue


def test_a_block_keeps_its_known_fields_alone():
    (block,) = known_blocks(
        [{"type": "text", "text": "a", "citations": [], "cache_control": {}}, {"type": "server_tool"}]
    )
    assert block == {"type": "text", "text": "a"}
    with pytest.raises(ValueError, match="invalid"):
        known_messages([{"role": "user", "content": [{"type": "image", "source": "http://x"}]}])
    with pytest.raises(ValueError, match="invalid"):
        known_messages([{"role": "system", "content": []}])


def test_a_lone_surrogate_is_sent_as_a_question_mark(server: FakeModel, model: Make):
    server.script.append(Says({"n": 1}))
    messages = [{"role": "user", "content": [{"type": "text", "text": "a\udcff"}]}]
    converse_with_tools(model(), messages, tools={}, schema=ANSWER)
    assert server.asked[0].body["messages"][0]["content"][0]["text"] == "a?"
