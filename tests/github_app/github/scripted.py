"""A server that answers what the test wrote down, in order, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """One answer. `broken`: `reset` hangs up at once, `half` in the middle, `silent` says nothing for long."""

    status: int = 200
    data: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    broken: str = ""


@dataclass
class Asked:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    data: Any


class Scripted:
    """The server; `script` is what it will answer, `asked` what came."""

    def __init__(self) -> None:
        self.script: deque[Reply] = deque()
        self.asked: list[Asked] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def _answer(self) -> None:
                size = int(self.headers.get("content-length") or 0)
                body = self.rfile.read(size)
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.asked.append(Asked(self.command, self.path, headers, json.loads(body) if body else None))
                reply = outer.script.popleft() if outer.script else Reply(200, {})
                self.close_connection = bool(reply.broken)
                if reply.broken == "reset":
                    return
                if reply.broken == "silent":
                    time.sleep(1.5)
                    return
                content = reply.raw if reply.raw is not None else json.dumps(reply.data).encode()
                self.send_response(reply.status)
                for name, value in {"content-type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: len(content) // 2] if reply.broken == "half" else content)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _answer  # noqa: N815 - the names http.server looks for

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def will(self, *replies: Reply) -> None:
        """Answer these next."""
        self.script.extend(replies)

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
