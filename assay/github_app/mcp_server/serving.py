"""The server on one of its two transports: standard input and output, or HTTP with a token."""

from __future__ import annotations

import logging
import sys

import anyio
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

PATH = "/mcp"
MOST_BODY_BYTES = 1024 * 1024
MOST_SESSIONS = 100
SESSION_IDLE_S = 1800.0
LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Hosts nobody else reaches."""


def serve_stdio(server: MCPServer) -> None:
    """Speak with whoever started this process, until it closes our standard input. Logs go to standard error."""
    logging.getLogger().setLevel(logging.WARNING)
    anyio.run(server.run_stdio_async)


def http_app(server: MCPServer, host: str, port: int, public_host: str | None = None) -> Starlette:
    """The server as a web application at `/mcp`.

    Requests must be addressed to the host it is bound to (or `public_host`, where a proxy stands before it): a page in
    somebody's browser that found the port gets nowhere.
    """
    names = [*(LOOPBACK if host in LOOPBACK else (host,)), *((public_host,) if public_host else ())]
    shown = [f"[{name}]" if ":" in name else name for name in names]
    hosts = [*shown, *(f"{name}:{port}" for name in shown)]
    origins = [f"{scheme}://{each}" for each in hosts for scheme in ("http", "https")]
    return server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        max_request_body_size=MOST_BODY_BYTES,
        session_idle_timeout=SESSION_IDLE_S,
        max_sessions=MOST_SESSIONS,
        transport_security=TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins),
        host=host,
    )


def serve_http(server: MCPServer, host: str, port: int, public_host: str | None = None) -> None:
    """Listen until we are told to stop (SIGTERM, SIGINT)."""
    app = http_app(server, host, port, public_host)
    print(f"assay mcp listens at http://{host}:{port}{PATH}", file=sys.stderr)  # noqa: T201 - for whoever started it
    uvicorn.run(app, host=host, port=port, log_level="warning", access_log=False, server_header=False)
