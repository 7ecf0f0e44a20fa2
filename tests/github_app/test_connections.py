"""Who connects and says nothing, or says it too slowly, is sent away, so that others get in."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from fastapi import FastAPI, Request

from assay.github_app.web.http import slow_clients
from assay.github_app.web.http.slow_clients import web_server


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A web server that gives a connection half a second."""
    monkeypatch.setattr(slow_clients, "REQUEST_WITHIN_S", 0.5)
    monkeypatch.setattr(slow_clients, "MOST_CONNECTIONS", 20)
    app = FastAPI()

    @app.get("/")
    async def slow(request: Request) -> str:
        await request.body()
        return "here"

    @app.get("/unread")
    def unread() -> str:
        return "here"

    server = uvicorn.Server(web_server(app))
    with socket.create_server(("127.0.0.1", 0)) as door:
        thread = threading.Thread(target=server.run, args=([door],), daemon=True)
        thread.start()
        yield door.getsockname()[1]
        server.should_exit = True
        thread.join()


def dial(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=5)


def rest_of(connection: socket.socket) -> bytes:
    """What comes until the other side hangs up."""
    try:
        return b"".join(iter(lambda: connection.recv(65536), b""))
    except ConnectionResetError:
        return b""


def dribble(connection: socket.socket, byte: bytes) -> float:
    """A byte now and then; the seconds until the other side had enough."""
    began = time.monotonic()
    try:
        while time.monotonic() - began < 5:
            connection.sendall(byte)
            time.sleep(0.05)
    except OSError:
        pass
    return time.monotonic() - began


def test_connections_that_say_nothing_keep_nobody_out(port: int):
    silent = [dial(port) for _ in range(25)]
    for connection in silent:
        with connection:
            assert rest_of(connection) == b""
    with dial(port) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert b" 200 " in rest_of(connection)


@pytest.mark.system
@pytest.mark.parametrize(
    "first",
    [
        b"GET / HTTP/1.1\r\nhost: x\r\nx-long: ",
        b"GET /unread HTTP/1.1\r\nhost: x\r\n\r\nGET / HTTP/1.1\r\nx-long: ",
        b"GET /unread HTTP/1.1\r\nhost: x\r\ncontent-length: 99999\r\n\r\n",
    ],
    ids=["headers", "headers of a second request", "a body nobody reads"],
)
def test_one_that_trickles_is_sent_away(port: int, first: bytes):
    with dial(port) as connection:
        connection.sendall(first)
        assert dribble(connection, b"a") < 3


@pytest.mark.system
def test_a_request_that_takes_its_time_to_be_answered_is_left_alone(port: int):
    with dial(port) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 12\r\n\r\n")
        for _ in range(12):
            time.sleep(0.1)
            connection.sendall(b"a")
        assert b" 200 " in rest_of(connection)
