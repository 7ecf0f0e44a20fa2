"""Bounded HTTP requests to embedding services; the only network access of this package."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from assay.embedding.embedder import EmbeddingUnavailable

MOST_BYTES = 64 * 1024 * 1024
RETRIES_S = (0.5, 2.0)
"""Seconds to wait before each retry."""

_MAY_PASS = {408, 409, 429, 500, 502, 503, 504, 529}


class Poster:
    """JSON client of one service. The key is sent in the headers only."""

    def __init__(
        self,
        who: str,
        base_url: str,
        headers: Mapping[str, str],
        timeout_s: float,
        retries_s: Sequence[float] = RETRIES_S,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.password:
            raise EmbeddingUnavailable(f"{who}: the address must be http(s)://host, without a user or password")
        if any(not value.isprintable() or not value.isascii() for value in headers.values()):
            raise EmbeddingUnavailable(f"{who}: the key contains invalid characters")
        self.who = who
        self._base_url = base_url.rstrip("/")
        self._headers = dict(headers)
        self._timeout_s = timeout_s
        self._retries_s = tuple(retries_s)

    def post(self, path: str, message: Mapping[str, Any]) -> Any:
        """Send a request and return the parsed response.

        Raises:
            EmbeddingUnavailable: the request failed after all retries.
        """
        for pause_s in (*self._retries_s, None):
            try:
                return self._once(path, message)
            except EmbeddingUnavailable as error:
                if pause_s is None or not error.may_pass:
                    raise
                time.sleep(pause_s)
        raise AssertionError("unreachable")  # pragma: no cover - the last try returns or raises

    def _once(self, path: str, message: Mapping[str, Any]) -> Any:
        from assay.connections.http_client import HttpClient, HttpFailed

        try:
            with HttpClient() as client:
                reply = client.request(
                    "POST",
                    self._base_url + path,
                    within_s=self._timeout_s,
                    most_bytes=MOST_BYTES,
                    headers=self._headers,
                    json=dict(message),
                )
        except HttpFailed as failed:
            raise EmbeddingUnavailable(f"{self.who}: {failed}", may_pass=failed.failure.may_pass) from None
        if reply.status != 200:
            # The response body is left out: it may quote the text or the key.
            raise EmbeddingUnavailable(
                f"{self.who} answered with HTTP {reply.status}", may_pass=reply.status in _MAY_PASS
            )
        try:
            return json.loads(reply.body)
        except (ValueError, RecursionError):
            raise EmbeddingUnavailable(f"{self.who} returned a response that is not JSON") from None


def headers_for(key: str, scheme: str = "Bearer") -> dict[str, str]:
    """Return the headers of every request; without a key there is no `authorization`."""
    return {"authorization": f"{scheme} {key}"} if key else {}
