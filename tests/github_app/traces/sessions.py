"""Sessions of agents, written as their programs write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


def lines(*objects: Mapping[str, Any]) -> bytes:
    """As JSONL."""
    return b"".join(json.dumps(one).encode() + b"\n" for one in objects)


def _claude(kind: str, second: int, message: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "parentUuid": None, "isSidechain": False, "cwd": "/home/ada/shop", "sessionId": "s-1", "version": "2.1.1",
        "gitBranch": "agent/01JD3K5V7W8X9Y0Z1A2B3C4D5E-hats", "type": kind,
        "timestamp": f"2026-11-22T12:00:{second:02}.000Z", **({"message": message} if message else {}), **more,
    }  # fmt: skip


def _usage(fresh: int, out: int, read: int = 0) -> dict[str, int]:
    return {
        "input_tokens": fresh,
        "cache_creation_input_tokens": 10,
        "cache_read_input_tokens": read,
        "output_tokens": out,
    }


def claude_code(*, last: str = "end_turn") -> bytes:
    """Asked, edited a file, ran the tests, which failed, and ended."""
    model = "claude-model-5"
    return lines(
        {"type": "summary", "summary": "Sell hats", "leafUuid": "x"},
        _claude("user", 0, {"role": "user", "content": f"Sell hats. My token is {SECRET}"}),
        _claude("assistant", 2, {
            "id": "m1", "role": "assistant", "model": model, "usage": _usage(100, 1, 900),
            "content": [{"type": "text", "text": "I will."}],
        }),
        _claude("assistant", 3, {
            "id": "m1", "role": "assistant", "model": model, "usage": _usage(100, 20, 900), "stop_reason": "tool_use",
            "content": [{"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "shop/hats.py"}}],
        }),
        _claude("user", 5, {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "done"},
        ]}),
        _claude("assistant", 6, {
            "id": "m2", "role": "assistant", "model": model, "usage": _usage(50, 5),
            "content": [{"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "pytest -q"}}],
        }),
        _claude("user", 30, {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t2", "is_error": True,
             "content": [{"type": "text", "text": f"1 failed\nbearer {SECRET}"}]},
        ]}),
        _claude("assistant", 40, {
            "id": "m3", "role": "assistant", "model": model, "usage": _usage(5, 5), "stop_reason": last,
            "content": [{"type": "text", "text": "It is done."}],
        }),
    )  # fmt: skip


def claude_stream(subtype: str = "success", **more: Any) -> bytes:
    """The output of `--output-format stream-json`."""
    return lines(
        {"type": "system", "subtype": "init", "session_id": "s-2", "model": "claude-model-5", "tools": ["Bash"]},
        {"type": "assistant", "session_id": "s-2", "message": {
            "id": "m1", "model": "claude-model-5", "content": [{"type": "text", "text": "hm"}], "usage": _usage(1, 1),
        }},
        {"type": "result", "subtype": subtype, "is_error": subtype != "success", "duration_ms": 65000,
         "num_turns": 9, "session_id": "s-2", "total_cost_usd": 0.1,
         "usage": {"input_tokens": 1000, "cache_read_input_tokens": 200, "output_tokens": 70}, **more},
    )  # fmt: skip


def attribute(key: str, value: str | int) -> dict[str, Any]:
    """One attribute of a span; OTLP writes whole numbers as texts."""
    kind = "stringValue" if isinstance(value, str) else "intValue"
    return {"key": key, "value": {kind: str(value)}}


def span(name: str, start_s: int, took_s: int, parent: str = "root", **more: Any) -> dict[str, Any]:
    """One span; keywords are attributes with `_` for `.`, but for `status`."""
    attributes = [attribute(key.replace("__", "."), value) for key, value in more.items() if key != "status"]
    begin = 1_795_000_000 + start_s
    return {
        "traceId": "5b8efff798038103d269b633813fc60c", "spanId": name.encode().hex()[:16].ljust(16, "0"),
        "parentSpanId": parent, "name": name, "kind": 3,
        "startTimeUnixNano": str(begin * 10**9), "endTimeUnixNano": str((begin + took_s) * 10**9),
        "attributes": attributes, **({"status": more["status"]} if "status" in more else {}),
    }  # fmt: skip


def otlp(*spans: Mapping[str, Any]) -> bytes:
    """An export request; by default of an agent that called a model and a tool that failed."""
    usual = (
        span("invoke_agent hatter", 0, 60, parent="", gen_ai__operation__name="invoke_agent",
             gen_ai__agent__name="hatter", gen_ai__conversation__id="conv-1"),
        span("chat", 1, 4, gen_ai__operation__name="chat", gen_ai__request__model="model-7",
             gen_ai__usage__input_tokens=300, gen_ai__usage__output_tokens=40),
        span("execute_tool bash", 6, 2, gen_ai__operation__name="execute_tool", gen_ai__tool__name="bash",
             error__type="exit_1", status={"code": 2, "message": "make: no rule"}),
        span("GET /", 7, 1, http__request__method="GET"),
    )  # fmt: skip
    scope = {"scope": {"name": "agent"}, "spans": list(spans or usual)}
    resource = {"attributes": [attribute("service.name", "harness"), attribute("assay.task_id", "T-9")]}
    return json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}, indent=1).encode()
