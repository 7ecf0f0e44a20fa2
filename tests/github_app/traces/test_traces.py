"""Sessions of agents are read into neutral steps, whatever wrote them; hostile files are bounded, bad lines named."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.github.errors import TraceUnreadable
from assay.github_app.provenance.traces.claude_code import read_claude_code
from assay.github_app.provenance.traces.step import MOST_STEPS, Ending, Entry, StepKind, Trace, step_from
from assay.github_app.provenance.traces.trace_lines import MOST_BYTES, read_traces
from tests.examples import num_examples
from tests.github_app.traces.sessions import (
    SECRET,
    claude_code,
    claude_stream,
    lines,
    otlp,
    span,
)


def one(data: bytes) -> Trace:
    read = read_traces(data, "f")
    assert read.bad == ()
    (trace,) = read.traces
    return trace


def calls(trace: Trace) -> list[tuple[str, str, bool]]:
    return [(step.name, step.about, step.is_error) for step in trace.steps if step.kind is StepKind.tool]


def test_a_session_of_claude_code():
    trace = one(claude_code())
    assert (trace.source, trace.session_id, trace.agent, trace.model) == (
        "claude_code", "s-1", "claude", "claude-model-5",
    )  # fmt: skip
    assert trace.ending is Ending.completed
    assert calls(trace) == [("Edit", "shop/hats.py", False), ("Bash", "pytest -q", True)]
    assert trace.branch == "agent/01JD3K5V7W8X9Y0Z1A2B3C4D5E-hats"
    bash = next(step for step in trace.steps if step.name == "Bash")
    assert bash.duration_s == 24
    assert bash.said.startswith("1 failed")
    # 1010 + 60 + 15 in, counted once per message; the caches are part of the prompt.
    assert (trace.num_tokens_in, trace.num_tokens_out) == (1010 + 60 + 15, 20 + 5 + 5)
    assert trace.duration_s == 40
    assert trace.started_at == datetime(2026, 11, 22, 12, tzinfo=UTC)


def test_neither_prompts_nor_answers_nor_credentials_are_kept():
    for data in (claude_code(), claude_stream(), otlp()):
        kept = json.dumps([step.as_data() for step in one(data).steps])
        assert SECRET not in kept
        assert "Sell hats" not in kept
        assert "It is done" not in kept


@pytest.mark.parametrize(
    ("data", "ending"),
    [
        (claude_code(last="tool_use"), Ending.unknown),
        (claude_stream(), Ending.completed),
        (claude_stream("error_max_turns"), Ending.out_of_time),
        (claude_stream("error_during_execution"), Ending.failed),
        (claude_stream("something_new"), Ending.failed),
        (claude_stream(is_error=True), Ending.failed),
        (otlp(), Ending.completed),
        (
            otlp(span("a", 0, 9, parent="", gen_ai__operation__name="invoke_agent", error__type="timeout")),
            Ending.out_of_time,
        ),
        (otlp(span("a", 0, 9, parent="", gen_ai__operation__name="invoke_agent", error__type="500")), Ending.failed),
        (otlp(span("a", 0, 9, gen_ai__operation__name="chat")), Ending.unknown),
    ],
)
def test_how_a_session_ended_is_told(data: bytes, ending: Ending):
    assert one(data).ending is ending


def test_an_interrupted_session_is_aborted():
    more = lines(
        {"type": "user", "sessionId": "s-1", "message": {"content": "[Request interrupted by user for tool use]"}}
    )
    trace = one(claude_code() + more)
    assert (trace.ending, trace.steps[-1].name) == (Ending.aborted, "interrupted")


def test_an_error_of_the_model_is_a_step_of_its_own():
    failed = {
        "id": "m9",
        "model": "<synthetic>",
        "content": [{"type": "text", "text": "API Error: 529 overloaded_error"}],
    }
    trace = one(
        claude_code() + lines({"type": "assistant", "sessionId": "s-1", "message": failed, "isApiErrorMessage": True})
    )
    assert trace.ending is Ending.failed
    assert (trace.steps[-1].is_error, trace.steps[-1].said) == (True, "API Error: 529 overloaded_error")
    assert trace.model == "claude-model-5"


def test_two_sessions_in_one_file_are_two():
    other = claude_code().replace(b'"s-1"', b'"s-7"')
    read = read_traces(claude_code() + other, "f")
    assert [trace.session_id for trace in read.traces] == ["s-1", "s-7"]


def test_what_a_person_said_who_refused_a_call_is_not_kept():
    words = "The user doesn't want to proceed with this tool use. To tell you how, the user said:\nSell hats"
    changed = claude_code().replace(b'"1 failed\\nbearer ', json.dumps(words).encode()[:-1] + b" ")
    bash = next(step for step in one(changed).steps if step.name == "Bash")
    assert (bash.is_error, bash.said) == (True, "rejected by the user")


def test_spans_of_an_agent():
    trace = one(otlp())
    assert (trace.source, trace.session_id, trace.task_id) == ("otlp", "conv-1", "T-9")
    assert (trace.agent, trace.model) == ("hatter", "model-7")
    assert (trace.num_tokens_in, trace.num_tokens_out, trace.duration_s) == (300, 40, 60)
    assert [step.name for step in trace.steps] == ["invoke_agent hatter", "model-7", "bash"]
    tool = trace.steps[-1]
    assert (tool.is_error, tool.said, tool.duration_s) == (True, "make: no rule", 2)


def test_spans_come_in_any_order_one_request_a_line():
    whole = json.loads(otlp())
    spans = whole["resourceSpans"][0]["scopeSpans"][0]["spans"]
    parts = [{"resourceSpans": [{"scopeSpans": [{"spans": [one_]}]}]} for one_ in reversed(spans)]
    trace = one(lines(*parts))
    assert [step.name for step in trace.steps] == ["invoke_agent hatter", "model-7", "bash"]


def test_what_is_read_is_the_same_after_the_store():
    for step in one(claude_code()).steps:
        assert step_from(json.loads(json.dumps(step.as_data()))) == step


# ------------------------------------------------------------------ files that are not what they should be


def test_bad_lines_are_named_and_passed_over():
    whole = claude_code().splitlines(keepends=True)
    data = b"".join(
        [whole[0], whole[1], b"{broken\n", b"[1]\n", b"\n", *whole[2:], b'{"sessionId": "s-1"}\n', b'{"a": NaN}\n']
    )
    read = read_traces(data, "f")
    assert [(bad.line, bad.why) for bad in read.bad] == [
        (3, "not JSON"),
        (4, "no object"),
        (12, "an object without a type"),
        (13, "not JSON"),
    ]
    assert len(read.traces[0].steps) == len(one(claude_code()).steps)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "trace.unknown-format"),
        (b"hello\n", "trace.unknown-format"),
        (b'{"a": 1}', "trace.unknown-format"),
        (b"[" * 100_000, "trace.unknown-format"),
        (b'{"resourceSpans": []}', "trace.empty"),
        (b'{"type": "session_meta", "payload": {}}', "trace.unknown-format"),
        (b"\xff\xfe\x00", "trace.unknown-format"),
    ],
)
def test_a_file_that_holds_no_session_is_one_clear_line(data: bytes, code: str):
    with pytest.raises(TraceUnreadable) as error:
        read_traces(data, "some file")
    assert str(error.value).startswith(f"{code}: some file: ")
    assert len(str(error.value).splitlines()) == 1


def test_a_file_that_is_too_large_is_not_read():
    with pytest.raises(TraceUnreadable, match="more than 64 MiB"):
        read_traces(bytes(MOST_BYTES + 1), "f")


def test_of_a_long_session_the_beginning_and_the_end_are_kept():
    asked = lines({"type": "user", "sessionId": "s", "message": {"content": "go"}})
    trace = one(asked * (MOST_STEPS + 500))
    assert len(trace.steps) == MOST_STEPS
    left = [step for step in trace.steps if step.kind is StepKind.note]
    assert [step.about for step in left] == ["501 steps"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
FILES: tuple[Callable[[], bytes], ...] = (claude_code, claude_stream, otlp)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one_ in inner for place in _places(one_, (*path, key)))]


def _changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = _changed(copy[path[0]], path[1:], new)
    return copy


@settings(max_examples=num_examples(150))
@given(data=st.data())
def test_any_value_may_stand_anywhere(data: st.DataObject):
    """Each place of each form in turn holds something else: what is read is bounded, or the file is refused."""
    whole = data.draw(st.sampled_from(FILES))()
    text = whole.decode()
    objects = [json.loads(text)] if text.startswith("{\n") else [json.loads(line) for line in text.splitlines()]
    for _ in range(3):
        number = data.draw(st.integers(0, len(objects) - 1))
        path = data.draw(st.sampled_from(_places(objects[number])))
        objects[number] = _changed(objects[number], path, data.draw(JSON))
    made = b"".join(json.dumps(one_).encode() + b"\n" for one_ in objects)
    try:
        read = read_traces(made, "f")
    except TraceUnreadable:
        return
    for trace in read.traces:
        assert all(len(step.about) <= 200 and len(step.said) <= 300 and len(step.name) <= 200 for step in trace.steps)
        assert json.dumps([step.as_data() for step in trace.steps], allow_nan=False)
        assert trace.duration_s is None or trace.duration_s >= 0
        assert trace.num_tokens_in is None or trace.num_tokens_in >= 0


@given(data=st.binary(max_size=400))
def test_no_bytes_bring_the_reading_down(data: bytes):
    with pytest.raises(TraceUnreadable):
        read_traces(data, "f")


def test_a_span_that_ends_before_it_began_has_no_duration():
    kinds = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": "bash"}
    trace = one(otlp(span("back", 9, -1, **kinds), span("none", 9, 0, **kinds)))
    assert {step.duration_s for step in trace.steps} == {None, 0}


def test_lines_without_a_type_do_not_end_a_session_and_its_failure_is_a_step():
    entries = [
        Entry(1, {"sessionId": "s-1", "type": "user", "timestamp": "2026-11-22T12:00:00Z", "message": {}}),
        Entry(2, {"sessionId": "s-1"}),
        Entry(3, {"sessionId": "s-1", "type": "result", "subtype": "error_max_turns", "result": "stopped"}),
    ]
    (trace,), bad = read_claude_code(entries)
    assert [line.line for line in bad] == [2]
    assert trace.ending is Ending.out_of_time
    assert [(step.name, step.is_error, step.said) for step in trace.steps] == [("error_max_turns", True, "stopped")]
