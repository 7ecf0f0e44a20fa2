"""Limits on connections: a time-out for requests, and a maximum of concurrent connections.

uvicorn has no time-out for the first request of a connection or for the end of its headers. Without one, a few hundred
idle connections would lock GitHub out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

MOST_CONNECTIONS = 512
"""Maximum concurrent connections; further ones get 503."""
REQUEST_WITHIN_S = 10.0
"""Seconds from the connection, or the first byte of a further request, to the end of the headers."""


class TimedConnection(H11Protocol):
    """Connection that is closed if its next request does not arrive in time."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._update_timer()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._update_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_timer()
        super().connection_lost(exc)

    def _update_timer(self) -> None:
        """Start the timer while waiting for a request; more bytes of the same request do not restart it."""
        if not self._is_waiting:
            self._cancel_timer()
        elif self._timer is None:
            self._timer = self.loop.call_later(REQUEST_WITHIN_S, self._time_out)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _time_out(self) -> None:
        self._timer = None
        if self._is_waiting:
            self.transport.abort()

    @property
    def _is_waiting(self) -> bool:
        """Whether no request is in progress."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete


def web_server(app: Callable[..., Any]) -> uvicorn.Config:
    """Return the configuration of the web server."""
    return uvicorn.Config(
        app,
        http=TimedConnection,
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=10,
    )
