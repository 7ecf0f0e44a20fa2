"""HTTP connections to an agent's server, kept open, with a deadline over every whole call."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import Any

import httpx2

from assay.memory_eval.adapters.child_lines import MOST_BYTES
from assay.memory_eval.adapters.replies import shortly
from assay.memory_eval.errors import AgentCallFailed, AgentTimedOut, AgentUnreachable

CONNECT_TIMEOUT_S = 10.0
RETRIES_S = (0.2, 0.5, 1.0)
"""Seconds before each retry of a refused connection; the request did not arrive, so a retry is safe."""

MOST_CONNECTIONS = 64


class Wire:
    """Kept-open connections in a separate thread, which enforces the deadline of every call."""

    def __init__(self, by_proxy: bool) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="agent-http", daemon=True)
        self._thread.start()
        self._client = httpx2.AsyncClient(
            follow_redirects=False,
            timeout=httpx2.Timeout(None, connect=CONNECT_TIMEOUT_S),
            limits=httpx2.Limits(max_connections=MOST_CONNECTIONS, max_keepalive_connections=MOST_CONNECTIONS),
            # A proxy from the environment must not be used for a server on this machine.
            trust_env=by_proxy,
            headers={"accept": "application/json", "accept-encoding": "identity"},
        )

    def call(self, method: str, url: str, message: Mapping[str, Any] | None, timeout_s: float) -> tuple[int, bytes]:
        """Send a request and return (status, body of at most `MOST_BYTES`); raises `AgentCallFailed`."""
        future = asyncio.run_coroutine_threadsafe(self._timed(method, url, message, timeout_s), self._loop)
        try:
            return future.result()
        except TimeoutError:
            raise AgentTimedOut(f"no answer in {timeout_s:g} s") from None
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise AgentUnreachable(f"cannot connect: {shortly(str(error)) or type(error).__name__}") from None
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise AgentCallFailed(f"{type(error).__name__}: {shortly(str(error))}") from None

    def close(self) -> None:
        """Close the connections and end the thread."""
        asyncio.run_coroutine_threadsafe(self._client.aclose(), self._loop).result(CONNECT_TIMEOUT_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CONNECT_TIMEOUT_S)
        self._loop.close()

    async def _timed(
        self, method: str, url: str, message: Mapping[str, Any] | None, timeout_s: float
    ) -> tuple[int, bytes]:
        async with asyncio.timeout(timeout_s):
            for pause_s in RETRIES_S:
                try:
                    return await self._once(method, url, message)
                except httpx2.ConnectError:
                    await asyncio.sleep(pause_s)
            return await self._once(method, url, message)

    async def _once(self, method: str, url: str, message: Mapping[str, Any] | None) -> tuple[int, bytes]:
        parts: list[bytes] = []
        size = 0
        async with self._client.stream(method, url, json=message) as response:
            _not_packed(response)
            async for part in response.aiter_raw():
                parts.append(part)
                size += len(part)
                if size > MOST_BYTES:
                    raise AgentCallFailed(f"the answer is longer than {MOST_BYTES // 1024 // 1024} MB")
            _no_redirect(response)
            return response.status_code, b"".join(parts)


def _not_packed(response: httpx2.Response) -> None:
    """Reject compressed bodies: unpacked they may be a million times as large before their size is counted."""
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed not in ("", "identity"):
        raise AgentCallFailed(f"the answer is compressed ({shortly(packed)}), although identity encoding was requested")


def _no_redirect(response: httpx2.Response) -> None:
    if response.is_redirect:
        where = shortly(response.headers.get("location", ""))
        raise AgentCallFailed(f"HTTP {response.status_code}: redirects are not followed (to {where})")
