"""Services that embed, on a port of this machine; they fail as the real ones do."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass(frozen=True)
class Asked:
    """One question as it came in; the names of headers are in lower case."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """What is said to it."""

    body: bytes | object
    status: int = 200
    headers: Mapping[str, str] | None = None


class Service:
    """The server; `answer` is asked, every question is kept in `asked`."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.answer: Callable[[Asked], Answer] = lambda _: Answer({}, 500)
        service = self

        class Handler(BaseHTTPRequestHandler):
            wbufsize = -1

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                service.asked.append(asked)
                answer = service.answer(asked)
                data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                for name, value in {"content-length": str(len(data)), **(answer.headers or {})}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    yield made
    made.close()


def listed(asked: Asked) -> Answer:
    """Rows in the form of Voyage and OpenAI, the last first: their order is told by `index` alone."""
    rows = [{"index": place, "embedding": [float(len(text)), 1.0]} for place, text in enumerate(asked.body["input"])]
    return Answer({"data": rows[::-1]})
