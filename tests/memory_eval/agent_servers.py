"""Servers to be examined: a good one, and whatever a handler makes of a call."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, bytes, dict[str, str]]


class Remembering:
    """A good agent: answers with the turn that shares most words with the question. Notes what was said on the wire."""

    def __init__(self) -> None:
        self.turns: list[str] = []
        self.traffic: list[tuple[str, Any, Any]] = []
        self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()

    def __call__(self, method: str, path: str, body: Any) -> Reply:
        with self.lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        reply = self.done(method, path, body)
        with self.lock:
            self.at_once -= 1
            self.traffic.append((f"{method} {path}", body, reply))
        return 200, json.dumps(reply).encode(), {}

    def done(self, method: str, path: str, body: Any) -> Any:
        if path == "/learn":
            self.turns.append(body["content"])
        elif path == "/reset":
            self.turns.clear()
        elif path == "/stats":
            return {"entries": len(self.turns), "bytes": sum(map(len, self.turns))}
        else:
            return {
                "answer": best_of(self.turns, body["question"]),
                "confidence": 0.75,
                "tokens_in": 3,
                "sources": ["a"],
            }
        return {"ok": True}


def best_of(turns: list[str], question: str) -> str:
    """The turn with most words of the question."""
    words = set(question.lower().split())
    return max(turns, key=lambda turn: len(words & set(turn.lower().split())), default="I was never told.")


@contextmanager
def served(answer: Callable[[str, str, Any], Reply]) -> Iterator[str]:
    """The address of a server that answers so."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._do(None)

        def do_POST(self) -> None:
            self._do(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _do(self, body: Any) -> None:
            status, data, headers = answer(self.command, self.path, body)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(data)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:  # whoever asked has gone
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def raw(speak: Callable[[socket.socket], None]) -> Iterator[str]:
    """The address of a server that, once a call has come, says whatever `speak` writes."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                try:
                    connection.recv(65536)
                    speak(connection)
                except OSError:  # whoever asked has gone
                    continue

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(10)
