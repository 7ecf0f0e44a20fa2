"""Transports of the MCP server: standard input and output, or HTTP with a token."""

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
"""Hosts that only this machine reaches."""


def serve_stdio(server: MCPServer) -> None:
    """Serve the parent process until it closes our standard input. Logs go to standard error."""
    logging.getLogger().setLevel(logging.WARNING)
    anyio.run(server.run_stdio_async)


def http_app(server: MCPServer, host: str, port: int, public_host: str | None = None) -> Starlette:
    """Return the server as a web application at `/mcp`.

    Only requests to the bound host (or `public_host`, behind a proxy) are accepted, so that web pages in a user's
    browser cannot reach it.
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
    """Serve HTTP until SIGTERM or SIGINT."""
    app = http_app(server, host, port, public_host)
    print(f"assay mcp listens at http://{host}:{port}{PATH}", file=sys.stderr)  # noqa: T201 - for the user
    uvicorn.run(app, host=host, port=port, log_level="warning", access_log=False, server_header=False)
