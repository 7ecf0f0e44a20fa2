"""A model that stands in for Claude: the Messages API on a port of this machine, which the real client talks to.

Requests of a batch are answered like single ones; `FakeModel.batches` has the batches.

It says what a test tells it to, in order or by a function of what is asked, and can fail as the real one does.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Mapping
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
class Ends:
    """A request of a batch that was not processed: `expired` or `canceled`."""

    how: str


Step = Says | Fails | Drops | Sends | Ends


@dataclass(frozen=True)
class Asked:
    """One request as it came in; the names of headers are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def prompt(self) -> str:
        """What the user said."""
        return str(self.body["messages"][-1]["content"])

    @property
    def system(self) -> str:
        """What the model was told before."""
        return str(self.body.get("system", ""))


class FakeModel:
    """The server. `script` is played first, then `answers` is asked; every request is kept in `asked`."""

    def __init__(self, *script: Step, answers: Callable[[Asked], Step] | None = None) -> None:
        self.script = list(script)
        self.answers = answers
        self.asked: list[Asked] = []
        self.batches = FakeBatches(self._result_of)
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
            headers = {name.lower(): value for name, value in self.headers.items()}
            self._play(model.next_step(Asked(self.path, headers, body)), body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client did not wait
        finally:
            model.enter(-1)

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
            self._send(200, _message(step, body.get("model", "in-the-path")))
        elif isinstance(step, Fails):
            error = {"type": "error", "error": {"type": step.kind, "message": step.message}}
            self._send(step.status, json.dumps(error).encode(), headers=step.headers)
        elif isinstance(step, Sends):
            self._send(200, step.body, step.content_type)
        elif isinstance(step, Drops):
            self._drop(step)
        else:
            raise AssertionError(f"{step} is an end of a request in a batch")

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


def _message(step: Says, model: str) -> bytes:
    text = step.text if isinstance(step.text, str) else json.dumps(step.text)
    thought = [{"type": "thinking", "thinking": step.thinking, "signature": "s"}] if step.thinking else []
    return json.dumps(
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [*thought, {"type": "text", "text": text}],
            "stop_reason": step.stop_reason,
            "stop_sequence": None,
            "stop_details": step.stop_details,
            "usage": {"input_tokens": step.tokens_in, "output_tokens": step.tokens_out},
        }
    ).encode()
