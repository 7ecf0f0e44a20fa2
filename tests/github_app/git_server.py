"""`git http-backend` on a port of this machine: git's own smart HTTP, with a token, and with tricks."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import run as started

TOKEN = "ghs_verySecretTokenOfTheApp0123456789"
HEADER = "Basic eC1hY2Nlc3MtdG9rZW46Z2hzX3ZlcnlTZWNyZXRUb2tlbk9mVGhlQXBwMDEyMzQ1Njc4OQ=="


@dataclass
class GitServer:
    """`git http-backend` on a port of this machine, over the bare repositories below `root`."""

    root: Path
    url: str = ""
    wants_token: bool = True
    redirect_to: str | None = None
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    on_request: Callable[[], None] = lambda: None

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path, _, query = request.path.partition("?")
        self.asked.append((request.path, request.headers.get("authorization")))
        self.on_request()
        if self.redirect_to:
            request.send_response(302)
            request.send_header("location", self.redirect_to + request.path)
            request.end_headers()
            return
        if self.wants_token and request.headers.get("authorization") != HEADER:
            request.send_response(401)
            request.send_header("www-authenticate", "Basic")
            request.end_headers()
            return
        body = self._body(request)
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": request.command,
            "CONTENT_TYPE": request.headers.get("content-type", ""),
            "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "REMOTE_ADDR": "127.0.0.1",
        }
        done = started(["git", "http-backend"], input=body, env=environment, capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        lines = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
        request.send_response(int(lines.pop("Status", "200").split()[0]))
        for name, value in lines.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(content)

    def _body(self, request: BaseHTTPRequestHandler) -> bytes:
        if request.headers.get("transfer-encoding") == "chunked":
            found = b""
            while size := int(request.rfile.readline(), 16):
                found += request.rfile.read(size)
                request.rfile.readline()
            request.rfile.readline()
            return found
        return request.rfile.read(int(request.headers.get("content-length", 0)))


@contextlib.contextmanager
def serving(server: GitServer) -> Iterator[GitServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.answer(self)

        do_POST = do_GET  # noqa: N815 - the name the server looks for

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    server.url = f"http://127.0.0.1:{listening.server_address[1]}"
    yield server
    listening.shutdown()
    listening.server_close()
    thread.join()
