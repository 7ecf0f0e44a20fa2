"""A proxy of this machine that counts what comes through it: what a runner downloads, by whatever program."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections import Counter
from types import TracebackType
from typing import Self

CHUNK = 1 << 16


class CountingProxy:
    """Tunnels `CONNECT` requests; `received` has the bytes that came from each host."""

    def __init__(self) -> None:
        self.received: Counter[str] = Counter()
        self._server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.close()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._server.getsockname()[1]}"

    def megabytes(self) -> float:
        """Everything received so far."""
        return sum(self.received.values()) / 1e6

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._server.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError, ValueError):
            head = b""
            while b"\r\n\r\n" not in head:
                part = client.recv(CHUNK)
                if not part:
                    return
                head += part
            method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
            if method != "CONNECT":
                client.sendall(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n")
                return
            host, _, port = target.rpartition(":")
            with socket.create_connection((host, int(port)), timeout=60) as server:
                server.settimeout(None)
                client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                sending = threading.Thread(target=_copy, args=(client, server), daemon=True)
                sending.start()
                while part := server.recv(CHUNK):
                    self.received[host] += len(part)
                    client.sendall(part)
                with contextlib.suppress(OSError):
                    client.shutdown(socket.SHUT_RDWR)
                sending.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while part := source.recv(CHUNK):
            target.sendall(part)
        target.shutdown(socket.SHUT_WR)
