"""A model that stands in for Claude: the Messages API on a port of this machine, which the real client talks to.

Requests of a batch are answered like single ones; `FakeModel.batches` has the batches.

It says what a test tells it to, in order or by a function of what is asked, and can fail as the real one does.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.fakes.model_batches import PATH, FakeBatches


@dataclass(frozen=True)
class Says:
    """A whole message, as the API would send it."""

    text: str | Mapping[str, Any]
    stop_reason: str | None = "end_turn"
    stop_details: Mapping[str, Any] | None = None
    tokens_in: int = 100
    tokens_out: int = 20
    thinking: str | None = None
    after_s: float = 0.0
    uses: Sequence[tuple[str, Mapping[str, Any]]] = ()
    """Tools it requests, by name and input; their ids are `use_0`, `use_1` …"""
    cache_read: int = 0
    cache_written: int = 0


@dataclass(frozen=True)
class Fails:
    """An error of the API, with its status and headers."""

    status: int
    message: str = "something went wrong"
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "api_error"


@dataclass(frozen=True)
class Drops:
    """A connection that breaks in the middle; with `tells_length` the client knows that more should come."""

    tells_length: bool = True


@dataclass(frozen=True)
class Sends:
    """Any bytes with a good status, as a proxy in between might."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Breaks:
    """A streamed answer that ends after some events: with an error, with one that is not JSON, or with nothing."""

    says: Says
    num_events: int = 3
    error: str | None = None
    garbage: bytes | None = None


@dataclass(frozen=True)
class Ends:
    """A request of a batch that was not processed: `expired` or `canceled`."""

    how: str


Step = Says | Fails | Drops | Sends | Breaks | Ends


@dataclass(frozen=True)
class Asked:
    """One request as it came in; the names of headers are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def prompt(self) -> str:
        """What the user said last: the texts and tool results of the last message."""
        content = self.body["messages"][-1]["content"]
        if isinstance(content, str):
            return content
        return "\n".join(str(block.get("text") or block.get("content") or "") for block in content)

    @property
    def system(self) -> str:
        """What the model was told before."""
        system = self.body.get("system", "")
        return system if isinstance(system, str) else "\n".join(block["text"] for block in system)


class FakeModel:
    """The server. `script` is played first, then `answers` is asked; every request is kept in `asked`."""

    def __init__(self, *script: Step, answers: Callable[[Asked], Step] | None = None) -> None:
        self.script = list(script)
        self.answers = answers
        self.asked: list[Asked] = []
        self.batches = FakeBatches(self._result_of)
        self.counts: Callable[[Mapping[str, Any]], int] | None = lambda body: len(json.dumps(body)) // 4
        """Tokens of a request for `count_tokens`; None: the server does not count."""
        self.counted: list[Mapping[str, Any]] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.model = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """What ANTHROPIC_BASE_URL should say."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def next_step(self, asked: Asked) -> Step:
        """What is said to this request."""
        with self._lock:
            self.asked.append(asked)
            if self.script:
                return self.script.pop(0)
        if self.answers is None:
            return Fails(500, "nothing is left in the script", {"x-should-retry": "false"})
        return self.answers(asked)

    def _result_of(self, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The result of one request of a batch."""
        step = self.next_step(Asked("/v1/messages", {}, params))
        if isinstance(step, Says):
            return {"type": "succeeded", "message": json.loads(_message(step, params["model"]))}
        if isinstance(step, Fails):
            error = {"type": "error", "error": {"type": step.kind, "message": step.message}}
            return {"type": "errored", "error": error}
        assert isinstance(step, Ends)
        return {"type": step.how}

    def enter(self, by: int) -> None:
        """Count who is being served."""
        with self._lock:
            self._at_once += by
            self.most_at_once = max(self.most_at_once, self._at_once)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    model: FakeModel


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body go out together: apart, each answer would wait 40 ms for the other side to confirm its head.
    wbufsize = -1

    def do_POST(self) -> None:
        assert isinstance(self.server, _Server)
        model = self.server.model
        model.enter(1)
        try:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if self.path.partition("?")[0] == PATH:
                self._batches("POST", body)
                return
            if self.path.partition("?")[0] == "/v1/messages/count_tokens":
                self._count(body)
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            self._play(model.next_step(Asked(self.path, headers, body)), body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client did not wait
        finally:
            model.enter(-1)

    def _count(self, body: Mapping[str, Any]) -> None:
        assert isinstance(self.server, _Server)
        self.server.model.counted.append(body)
        counts = self.server.model.counts
        if counts is None:
            self._play(Fails(404, "not found", kind="not_found_error"), body)
        else:
            self._send(200, json.dumps({"input_tokens": counts(body)}).encode())

    def do_GET(self) -> None:
        try:
            self._batches("GET", {})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _batches(self, method: str, body: Mapping[str, Any]) -> None:
        assert isinstance(self.server, _Server)
        status, answer, fault = self.server.model.batches.answer(method, self.path, body)
        if fault is None:
            self._send(status, answer)
        elif isinstance(fault.step, Drops):
            self._drop(fault.step, answer or b"{}")
        else:
            self._play(fault.step, {})

    def _play(self, step: Step, body: Mapping[str, Any]) -> None:
        if isinstance(step, Says):
            time.sleep(step.after_s)
            # The clouds name the model in the path.
            whole = _message(step, body.get("model", "in-the-path"))
            if body.get("stream"):
                self._send(200, b"".join(_events(json.loads(whole))), "text/event-stream")
            else:
                self._send(200, whole)
        elif isinstance(step, Breaks):
            self._break(step, body)
        elif isinstance(step, Fails):
            error = {"type": "error", "error": {"type": step.kind, "message": step.message}}
            self._send(step.status, json.dumps(error).encode(), headers=step.headers)
        elif isinstance(step, Sends):
            self._send(200, step.body, step.content_type)
        elif isinstance(step, Drops):
            self._drop(step)
        else:
            raise AssertionError(f"{step} is an end of a request in a batch")

    def _break(self, step: Breaks, body: Mapping[str, Any]) -> None:
        events = list(_events(json.loads(_message(step.says, body.get("model", "m")))))[: step.num_events]
        if step.error is not None:
            error = {"type": "error", "error": {"type": step.error, "message": "it broke off"}}
            events.append(_event(error))
        if step.garbage is not None:
            events.append(b"event: content_block_delta\ndata: " + step.garbage + b"\n\n")
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(b"".join(events))
        self.wfile.flush()
        self.close_connection = True

    def _drop(self, step: Drops, whole: bytes | None = None) -> None:
        whole = whole or _message(Says("a long answer " * 50), "m")
        length = {"content-length": str(len(whole))} if step.tells_length else {"connection": "close"}
        self.send_response(200)
        for name, value in {"content-type": "application/json", **length}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(whole[: len(whole) // 2])
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def _send(
        self, status: int, body: bytes, kind: str = "application/json", headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def _event(data: Mapping[str, Any]) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


def _events(message: Mapping[str, Any]) -> Iterator[bytes]:
    """The events of a streamed message, as the API sends them: each text and input in two pieces."""
    usage = message["usage"]
    start = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield _event({"type": "message_start", "message": start})
    yield _event({"type": "ping"})
    for index, block in enumerate(message["content"]):
        kind = block["type"]
        whole = {"text": "text", "thinking": "thinking"}.get(kind)
        empty = {**block, whole: ""} if whole else {**block, "input": {}}
        yield _event({"type": "content_block_start", "index": index, "content_block": empty})
        text = block[whole] if whole else json.dumps(block["input"])
        delta, name = {"text": ("text_delta", "text"), "thinking": ("thinking_delta", "thinking")}.get(
            kind, ("input_json_delta", "partial_json")
        )
        for part in (text[: len(text) // 2], text[len(text) // 2 :]):
            yield _event({"type": "content_block_delta", "index": index, "delta": {"type": delta, name: part}})
        if kind == "thinking":
            signature = {"type": "signature_delta", "signature": block["signature"]}
            yield _event({"type": "content_block_delta", "index": index, "delta": signature})
        yield _event({"type": "content_block_stop", "index": index})
    stop = {name: message[name] for name in ("stop_reason", "stop_sequence", "stop_details")}
    yield _event({"type": "message_delta", "delta": stop, "usage": {"output_tokens": usage["output_tokens"]}})
    yield _event({"type": "message_stop"})


def _message(step: Says, model: str) -> bytes:
    text = step.text if isinstance(step.text, str) else json.dumps(step.text)
    thought = [{"type": "thinking", "thinking": step.thinking, "signature": "s"}] if step.thinking else []
    said = [{"type": "text", "text": text}] if text or not step.uses else []
    uses = [
        {"type": "tool_use", "id": f"use_{number}", "name": name, "input": given}
        for number, (name, given) in enumerate(step.uses)
    ]
    return json.dumps(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [*thought, *said, *uses],
            "stop_reason": "tool_use" if uses and step.stop_reason == "end_turn" else step.stop_reason,
            "stop_sequence": None,
            "stop_details": step.stop_details,
            "usage": {
                "input_tokens": step.tokens_in,
                "output_tokens": step.tokens_out,
                "cache_read_input_tokens": step.cache_read,
                "cache_creation_input_tokens": step.cache_written,
            },
        }
    ).encode()
