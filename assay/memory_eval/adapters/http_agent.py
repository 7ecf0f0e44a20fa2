"""An agent that is a web server: `POST /learn`, `/answer`, `/reset`, and `GET /stats` where it has it.

The wire is described by `schemas/agent-http.schema.json` and docs/memory/agents.md. Whatever the server does, a call
ends in its time: the deadline is over the whole of it, so a server that sends a byte now and then gains nothing.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

from assay.memory_eval.adapters.adapter import AgentResponse
from assay.memory_eval.adapters.options import AgentOptions
from assay.memory_eval.adapters.remote import RemoteAgent
from assay.memory_eval.adapters.replies import response_from, shortly, stats_from
from assay.memory_eval.child_lines import MOST_BYTES
from assay.memory_eval.errors import AgentCallFailed, AgentTimedOut, AgentUnreachable, ExamUsageError

if TYPE_CHECKING:
    import httpx2

CONNECT_TIMEOUT_S = 10.0
RETRIES_S = (0.2, 0.5, 1.0)
"""How long to wait before a call nobody took is tried again: it did not arrive, so nothing happens twice."""

MOST_CONNECTIONS = 64
_NO_SUCH_DOOR = {404, 405, 501}
_OWN_MACHINE = {"localhost", "127.0.0.1", "::1"}


class HttpAgent(RemoteAgent):
    """A server at `options.url` (or behind the colon: `http://localhost:8000`); redirects are not followed.

    Its memory is its own: it is expected to be there still when an interrupted run is continued.
    """

    parallel_safe = True
    remembers_without_us = True

    def __init__(self, text: str, options: AgentOptions) -> None:
        self._url = _checked(options.url or (f"http:{text}" if text.startswith("//") else text))
        self._timeout_s = options.timeout_s
        self._wire: _Wire | None = None
        parts = urlsplit(self._url)
        self.name = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def learn(self, content: str) -> None:
        self._post("/learn", {"content": content})

    def answer(self, question: str) -> AgentResponse:
        return response_from(_object(self._post("/answer", {"question": question})))

    def reset(self) -> None:
        self._post("/reset", {})

    def stats(self) -> Mapping[str, Any]:
        status, body = self._call("GET", "/stats", None)
        if status in _NO_SUCH_DOOR:
            return {}
        _refuse(status, body)
        return stats_from(_object(body))

    def close(self) -> None:
        if self._wire is not None:
            self._wire.close()
        self._wire = None

    def _post(self, path: str, message: Mapping[str, Any]) -> bytes:
        """What is answered; a body that is an object with `error` is a refusal too."""
        status, body = self._call("POST", path, message)
        _refuse(status, body)
        return body

    def _call(self, method: str, path: str, message: Mapping[str, Any] | None) -> tuple[int, bytes]:
        self._wire = self._wire or _Wire(urlsplit(self._url).hostname not in _OWN_MACHINE)
        return self._wire.call(method, self._url + path, message, self._timeout_s)


class _Wire:
    """Connections kept open in a thread of their own, whose clock ends every call."""

    def __init__(self, by_proxy: bool) -> None:
        import httpx2

        self._errors = httpx2
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="agent-http", daemon=True)
        self._thread.start()
        self._client = httpx2.AsyncClient(
            follow_redirects=False,
            timeout=httpx2.Timeout(None, connect=CONNECT_TIMEOUT_S),
            limits=httpx2.Limits(max_connections=MOST_CONNECTIONS, max_keepalive_connections=MOST_CONNECTIONS),
            # A proxy of the environment leads out of the house, never to a server on this machine.
            trust_env=by_proxy,
            headers={"accept": "application/json", "accept-encoding": "identity"},
        )

    def call(self, method: str, url: str, message: Mapping[str, Any] | None, timeout_s: float) -> tuple[int, bytes]:
        """(status, body), body of at most `MOST_BYTES`; raises `AgentCallFailed` and its kinds."""
        future = asyncio.run_coroutine_threadsafe(self._timed(method, url, message, timeout_s), self._loop)
        try:
            return future.result()
        except TimeoutError:
            raise AgentTimedOut(f"no answer in {timeout_s:g} s") from None
        except (self._errors.ConnectError, self._errors.ConnectTimeout) as error:
            raise AgentUnreachable(f"nobody takes the call: {shortly(str(error)) or type(error).__name__}") from None
        except (self._errors.HTTPError, self._errors.InvalidURL) as error:
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
                except self._errors.ConnectError:
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


def _checked(url: str) -> str:
    """The address without what would change its meaning once a path is put behind it."""
    try:
        parts = urlsplit(url)
        fine = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        fine = False
    if not fine:
        wanted = "adapter `http` needs the address of the agent (--agent-url http://…)"
        raise ExamUsageError(f"{wanted}, not {shortly(url)!r}" if url else wanted)
    if parts.query or parts.fragment:
        raise ExamUsageError("the agent's address has a query or a fragment: paths are put behind it")
    return url.rstrip("/")


def _not_packed(response: httpx2.Response) -> None:
    """Unpacked it may be a thousand times as large, and packed twice a million times: before anybody counts."""
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed not in ("", "identity"):
        raise AgentCallFailed(f"the answer is packed ({shortly(packed)}), though unpacked was asked for")


def _no_redirect(response: httpx2.Response) -> None:
    if response.is_redirect:
        where = shortly(response.headers.get("location", ""))
        raise AgentCallFailed(f"HTTP {response.status_code}: redirects are not followed (to {where})")


def _refuse(status: int, body: bytes) -> None:
    """Raise for a status that is no success, and for a success that says it is none."""
    said = _parsed(body)
    error = said.get("error") if isinstance(said, dict) else None
    if not 200 <= status < 300:
        words = error if error is not None else body[:200].decode("utf-8", "replace")
        _fail(f"HTTP {status}{f': {shortly(words)}' if words else ''}")
    if error is not None:
        _fail(shortly(error))


def _fail(line: str) -> NoReturn:
    raise AgentCallFailed(line)


def _object(body: bytes) -> dict[str, Any]:
    value = _parsed(body)
    if not isinstance(value, dict):
        said = shortly(body[:200].decode("utf-8", "replace"))
        raise AgentCallFailed(f"the body is no JSON object: {said}" if said else "the body is empty")
    return value


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
