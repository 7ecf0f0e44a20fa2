"""The real web application on a real port, in a thread; and deliveries as GitHub sends them."""

from __future__ import annotations

import json
import socket
import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import uvicorn
from fastapi import FastAPI

from assay.github_app.server.app import make_app
from assay.github_app.store import Store
from assay.github_app.web.http.webhook import sign
from tests.github_app.remembering import store_at
from tests.github_app.stand_ins import settings_in

SECRET = "a secret of the tests"


@contextmanager
def running(app: FastAPI) -> Iterator[int]:
    """The port on which the application answers."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, access_log=False, server_header=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


class Web:
    """An application over a store of its own."""

    def __init__(self, folder: Path, port: int, store: Store) -> None:
        self.folder = folder
        self.port = port
        self.store = store
        self.client = httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=30, verify=False)

    def deliver(
        self,
        event: str,
        payload: Any,
        *,
        delivery_id: str | None = None,
        secret: str = SECRET,
        headers: dict[str, str | None] | None = None,
    ) -> httpx2.Response:
        """Post a delivery; `headers` replace those GitHub would send, None leaves one out."""
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        given: dict[str, str | None] = {
            "content-type": "application/json",
            "x-github-event": event,
            "x-github-delivery": delivery_id or str(uuid.uuid4()),
            "x-hub-signature-256": sign(secret, body),
        }
        given |= headers or {}
        sent = {name: value for name, value in given.items() if value is not None}
        return self.client.post("/webhooks/github", content=body, headers=sent)

    def raw(self, *parts: bytes, close: bool = False) -> bytes:
        """Send bytes as they are; what came back until the other side closed."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as connection:
            answer = b""
            # Who is refused in the middle of a body may be cut off before the answer has come through.
            with suppress(ConnectionError):
                for part in parts:
                    connection.sendall(part)
                if close:
                    connection.shutdown(socket.SHUT_WR)
                while chunk := connection.recv(65536):
                    answer += chunk
            return answer


@contextmanager
def web_in(folder: Path, **settings: Any) -> Iterator[Web]:
    """The application with its data in `folder`."""
    given = {"webhook_secret": SECRET, "max_body_bytes": 2 * 1024 * 1024, **settings}
    chosen = settings_in(folder, **given)
    folder.mkdir(parents=True, exist_ok=True)
    with store_at(chosen.store_url()) as store, running(make_app(chosen, store)) as port:
        web = Web(folder, port, store)
        yield web
        web.client.close()


def chunked(body: Iterable[bytes]) -> bytes:
    """In HTTP's chunks."""
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in body) + b"0\r\n\r\n"
