"""Agent behind a web server: `POST /learn`, `/answer`, `/reset`, and `GET /stats` if supported.

The protocol is in `schemas/agent-http.schema.json` and docs/memory/agents.md. The deadline covers the whole call, so a
server that sends a byte now and then cannot extend it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from assay.connections.addresses import is_loopback
from assay.memory_eval.adapters.adapter import AgentOptions, AgentResponse, RemoteAgent, Retrieved
from assay.memory_eval.adapters.child.child_process import MOST_BYTES
from assay.memory_eval.adapters.replies import response_from, retrieved_from, shortly, stats_from
from assay.memory_eval.errors import AgentCallFailed, AgentTimedOut, AgentUnreachable, CannotRetrieve, ExamUsageError

if TYPE_CHECKING:  # imported with the first call, to keep the start of agent processes fast
    from assay.connections.http_client import HttpClient

RETRIES_S = (0.2, 0.5, 1.0)
"""Seconds before each retry of a refused connection."""
_NO_SUCH_DOOR = {404, 405, 501}


class HttpAgent(RemoteAgent):
    """Server at `options.url` (or after the colon: `http://localhost:8000`); redirects are not followed.

    Its memory is expected to survive when an interrupted run is resumed.
    """

    parallel_safe = True
    remembers_without_us = True
    carries_value = True

    def __init__(self, text: str, options: AgentOptions) -> None:
        self._url = _checked(options.url or (f"http:{text}" if text.startswith("//") else text))
        self._timeout_s = options.timeout_s
        self._client: HttpClient | None = None
        self._laying = threading.Lock()
        parts = urlsplit(self._url)
        self.name = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def learn(self, content: str) -> None:
        self._post("/learn", {"content": content})

    def answer(self, question: str) -> AgentResponse:
        return response_from(_object(self._post("/answer", {"question": question})))

    def reset(self) -> None:
        self._post("/reset", {})

    def retrieve(self, question: str, k: int) -> Sequence[Retrieved]:
        status, body = self._call("POST", "/retrieve", {"question": question, "k": k})
        if status in _NO_SUCH_DOOR:
            raise CannotRetrieve("this agent does not offer retrieve")
        _refuse(status, body)
        reply = _object(body)
        if "results" not in reply:  # some servers answer every path in the same way
            raise CannotRetrieve("this agent does not offer retrieve")
        return retrieved_from(reply["results"])

    def stats(self) -> Mapping[str, Any]:
        status, body = self._call("GET", "/stats", None)
        if status in _NO_SUCH_DOOR:
            return {}
        _refuse(status, body)
        return stats_from(_object(body))

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = None

    def _post(self, path: str, message: Mapping[str, Any]) -> bytes:
        """Post a message and return the body; an object with `error` raises too."""
        status, body = self._call("POST", path, message)
        _refuse(status, body)
        return body

    def _call(self, method: str, path: str, message: Mapping[str, Any] | None) -> tuple[int, bytes]:
        from assay.connections.http_client import Failure, HttpClient, HttpFailed

        try:
            with self._laying:  # concurrent first calls would each open a connection, and only one would be closed
                # A proxy from the environment must not be used for a server on this machine.
                by_proxy = not is_loopback(urlsplit(self._url).hostname)
                self._client = client = self._client or HttpClient(trust_env=by_proxy, retries_s=RETRIES_S)
            url = self._url + path
            reply = client.request(method, url, within_s=self._timeout_s, most_bytes=MOST_BYTES, json=message)
        except HttpFailed as failed:
            if failed.failure is Failure.timed_out:
                raise AgentTimedOut(f"no answer in {self._timeout_s:g} s") from None
            if failed.failure in (Failure.unreachable, Failure.connect_timed_out, Failure.untrusted):
                raise AgentUnreachable(f"cannot connect: {failed}") from None
            if failed.failure is Failure.too_large:
                raise AgentCallFailed(f"the answer is longer than {MOST_BYTES // 1024 // 1024} MB") from None
            raise AgentCallFailed(str(failed)) from None
        if 300 <= reply.status < 400:
            where = shortly(reply.header("location"))
            raise AgentCallFailed(f"HTTP {reply.status}: redirects are not followed (to {where})")
        return reply.status, reply.body


def _checked(url: str) -> str:
    """Return the address; reject parts that would change its meaning once a path is appended."""
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


def _refuse(status: int, body: bytes) -> None:
    """Raise for a status other than success, and for a success whose body reports an error."""
    said = _parsed(body)
    error = said.get("error") if isinstance(said, dict) else None
    if not 200 <= status < 300:
        words = error if error is not None else body[:200].decode("utf-8", "replace")
        raise AgentCallFailed(f"HTTP {status}{f': {shortly(words)}' if words else ''}")
    if error is not None:
        raise AgentCallFailed(shortly(error))


def _object(body: bytes) -> dict[str, Any]:
    value = _parsed(body)
    if not isinstance(value, dict):
        said = shortly(body[:200].decode("utf-8", "replace"))
        raise AgentCallFailed(f"the body is not a JSON object: {said}" if said else "the body is empty")
    return value


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
