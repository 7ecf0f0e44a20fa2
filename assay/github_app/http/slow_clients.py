"""How the web server treats a connection: it has seconds to bring a request, and only so many are served at once.

uvicorn by itself waits for ever for the first request of a connection, and for the end of headers that trickle in. A
few hundred connections that say nothing would then keep GitHub out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

MOST_CONNECTIONS = 512
"""Connections served at once; more are told to come again (503)."""
REQUEST_WITHIN_S = 10.0
"""From the connection, or the first byte of a further request, to the end of the headers."""


class HurriedConnection(H11Protocol):
    """A connection that is ended where its next request does not come in time."""

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._hurry()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._hurry()

    def connection_lost(self, exc: Exception | None) -> None:
        self._calm()
        super().connection_lost(exc)

    def _hurry(self) -> None:
        """Wait for a request no longer than is allowed; more bytes of the same one buy no time."""
        if not self._waits:
            self._calm()
        elif self._patience is None:
            self._patience = self.loop.call_later(REQUEST_WITHIN_S, self._give_up)

    def _calm(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        self._patience = None
        if self._waits:
            self.transport.abort()

    @property
    def _waits(self) -> bool:
        """Whether no request is being answered."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete


def web_server(app: Callable[..., Any]) -> uvicorn.Config:
    """How the application is served."""
    return uvicorn.Config(
        app,
        http=HurriedConnection,
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=10,
    )
