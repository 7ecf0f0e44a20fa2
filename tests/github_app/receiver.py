"""A web hook of somebody's, that alerts are sent to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class Receiver:
    """A web hook of somebody's, which refuses the first so many."""

    port: int = 0
    refusals: int = 0
    got: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"json://hook:pa55w0rd-of-ops@127.0.0.1:{self.port}/T0KEN-in-path"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.paths.append(self.path)
            if receiver.refusals > 0:
                receiver.refusals -= 1
                self.send_response(503)
            else:
                receiver.got.append(json.loads(body))
                self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base names it
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield receiver
    server.shutdown()
    server.server_close()
    thread.join()
