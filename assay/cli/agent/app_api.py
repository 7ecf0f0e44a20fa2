"""Client of an App's REST interface."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

import click

from assay.coded_error import CodedError
from assay.connections.addresses import is_confidential
from assay.connections.http_client import HttpClient, HttpFailed
from assay.validators import as_visible

TIMEOUT_S = 60.0
MOST_ANSWER_BYTES = 4 * 1024 * 1024
URL = click.option("--url", help="The App's URL. Default: ASSAY_URL.")


class AppFailed(CodedError):
    """Failed request to the App. The message is one line and never contains the token."""

    exit_code = 3


class App:
    """REST interface of the App at a URL. The token is sent to that host only."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self._headers = {"authorization": f"Bearer {token}"}

    def get(self, path: str, query: Sequence[tuple[str, str]] = ()) -> dict[str, Any]:
        """Send a GET request and return the JSON response. Raises `AppFailed`."""
        return self._answer("GET", path, query, None)

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send a POST request and return the JSON response. Raises `AppFailed`."""
        return self._answer("POST", path, (), body)

    def _answer(
        self, method: str, path: str, query: Sequence[tuple[str, str]], body: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        try:
            with HttpClient() as client:
                reply = client.request(
                    method,
                    self.url + path,
                    within_s=TIMEOUT_S,
                    most_bytes=MOST_ANSWER_BYTES,
                    headers=self._headers,
                    params=query,
                    json=body,
                )
        except HttpFailed as failed:
            raise AppFailed(f"{self.url} cannot be reached: {failed}", code="app.unreachable") from None
        return _taken(self.url, reply.status, reply.body)


def app_at(url: str | None) -> App | None:
    """Return the App at `--url` or ASSAY_URL with the token in ASSAY_TOKEN; None if neither is set.

    Raises:
        click.UsageError: the URL or the token is invalid.
    """
    address = url or os.environ.get("ASSAY_URL") or ""
    if not address:
        return None
    if not is_confidential(address) or "?" in address or "#" in address:
        raise click.UsageError("--url: expected https://HOST, or http://127.0.0.1:PORT on this machine")
    token = os.environ.get("ASSAY_TOKEN", "").strip()
    if not token or not token.isascii() or not token.isprintable():
        raise click.UsageError("ASSAY_TOKEN: set a token of that App (run `assay token create` there)")
    return App(address.rstrip("/"), token)


def _taken(url: str, status: int, data: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise AppFailed(f"{url} returned {status} without a JSON object: is it an App?", code="app.invalid-reply")
    if not 200 <= status < 300:
        why = as_visible(str(answer.get("detail", "?")), 300)
        raise AppFailed(f"{url} refused the request ({status}): {why}", code="app.refused")
    return answer
