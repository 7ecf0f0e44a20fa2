"""HTTP client for the API of a remote App, used by commands that run next to an agent."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import click
import httpx2

from assay import __version__
from assay.validators import as_visible

TIMEOUT_S = 60.0
MOST_ANSWER_BYTES = 4 * 1024 * 1024
_LOOPBACK = ("127.0.0.1", "localhost", "::1")

URL = click.option("--url", help="The App's URL. Default: ASSAY_URL, else the local database.")


class InterfaceFailed(Exception):
    """Failed request to the App. The message is one line and never contains the token."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class Interface:
    """API of the App at a URL. The token is sent to that host only."""

    url: str
    token: str = field(repr=False)

    def post(
        self,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        content: bytes | None = None,
    ) -> dict[str, Any]:
        """Send a POST request and return the JSON response.

        Raises:
            InterfaceFailed: the request failed, or the response is too large, no JSON object, or an error.
        """
        headers = {
            "authorization": f"Bearer {self.token}",
            "accept": "application/json",
            "user-agent": f"assay/{__version__}",
        }
        sent: dict[str, Any] = {"json": body} if content is None else {"content": content}
        try:
            with (
                httpx2.Client(base_url=self.url, timeout=TIMEOUT_S, follow_redirects=False, trust_env=False) as client,
                client.stream("POST", path, params=dict(query or {}), headers=headers, **sent) as response,
            ):
                data = bytearray()
                for chunk in response.iter_bytes():
                    data += chunk
                    if len(data) > MOST_ANSWER_BYTES:
                        raise InterfaceFailed(f"{self.url}: response exceeds {MOST_ANSWER_BYTES} bytes")
                return _taken(self.url, response.status_code, bytes(data))
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise InterfaceFailed(f"{self.url} cannot be reached ({type(error).__name__})") from None


def interface_at(url: str | None) -> Interface | None:
    """Return the App at `--url` or ASSAY_URL with the token in ASSAY_TOKEN; None if neither is set.

    Raises:
        click.UsageError: the URL or the token is invalid.
    """
    address = url or os.environ.get("ASSAY_URL") or ""
    if not address:
        return None
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise click.UsageError("--url: expected a URL such as https://assay.example.com") from None
    if parts.scheme not in ("http", "https") or not host or parts.username or parts.query or parts.fragment:
        raise click.UsageError("--url: expected a URL such as https://assay.example.com")
    if parts.scheme == "http" and host not in _LOOPBACK:
        raise click.UsageError("--url: tokens are not sent over plain http; use https")
    token = os.environ.get("ASSAY_TOKEN", "").strip()
    if not token or not token.isascii() or not token.isprintable():
        raise click.UsageError("ASSAY_TOKEN: set a token of that App (run `assay token create` there)")
    return Interface(address.rstrip("/"), token)


def _taken(url: str, status: int, data: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise InterfaceFailed(f"{url} returned {status} without a JSON object: is it an App?")
    if not 200 <= status < 300:
        raise InterfaceFailed(
            f"{url} refused the request ({status}): {as_visible(str(answer.get('detail', '?')), 300)}"
        )
    return answer
