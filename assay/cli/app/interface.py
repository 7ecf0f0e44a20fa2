"""HTTP client for the API of a remote App, used by commands that run next to an agent."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import click

from assay.coded_error import CodedError
from assay.connections.addresses import is_loopback
from assay.connections.http_client import HttpClient, HttpFailed
from assay.validators import as_visible

TIMEOUT_S = 60.0
MOST_ANSWER_BYTES = 4 * 1024 * 1024

URL = click.option("--url", help="The App's URL. Default: ASSAY_URL, else the local database.")


class InterfaceFailed(CodedError):
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
        try:
            with HttpClient(trust_env=False) as client:
                reply = client.request(
                    "POST",
                    self.url + path,
                    within_s=TIMEOUT_S,
                    most_bytes=MOST_ANSWER_BYTES,
                    headers={"authorization": f"Bearer {self.token}"},
                    params=list((query or {}).items()),
                    json=body,
                    content=content,
                )
        except HttpFailed as failed:
            raise InterfaceFailed(f"{self.url} cannot be reached: {failed}", code="app.unreachable") from None
        return _taken(self.url, reply.status, reply.body)


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
    if parts.scheme == "http" and not is_loopback(host):
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
        raise InterfaceFailed(f"{url} returned {status} without a JSON object: is it an App?", code="app.invalid-reply")
    if not 200 <= status < 300:
        raise InterfaceFailed(
            f"{url} refused the request ({status}): {as_visible(str(answer.get('detail', '?')), 300)}",
            code="app.refused",
        )
    return answer
