"""One request that carries a credential to one address: bounded in time and size, and no redirect is followed."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

import requests
from requests.auth import AuthBase

from assay import __version__

CONNECT_S = 10.0
SILENCE_S = 20.0
"""Limits for connecting and for each pause of the response; the total time is limited separately."""
MOST_ANSWER_BYTES = 64 * 1024
_CHUNK_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """A response. Without one, `status` is 0 and `trouble` gives the reason.

    `headers` are by lower-case name; `may_pass` says that the same trouble may be over a moment later.
    """

    status: int
    body: bytes = b""
    headers: Mapping[str, str] | None = None
    trouble: str = ""
    may_pass: bool = False

    def header(self, name: str) -> str:
        """Return a header by its lower-case name; empty if missing."""
        return (self.headers or {}).get(name, "")


class Bearer(AuthBase):
    """Adds the credential to the request, so that no `.netrc` of the machine replaces it."""

    def __init__(self, credential: str) -> None:
        self._credential = credential

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["authorization"] = f"Bearer {self._credential}"
        return request


def is_safe(address: str) -> bool:
    """Return whether a credential may be sent to this address: by HTTPS, or to this machine."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if not host or parts.username or parts.password or not address.isprintable() or " " in address:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(host))


class _Session(requests.Session):
    """Follows no redirects: the library parses the target even with redirects disabled, and fails on invalid ones."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        """Return None for every response."""


def ask(method: str, address: str, credential: str, *, within_s: float, body: bytes | None = None) -> Answer:
    """Send one request and read its answer, within `within_s` in total. Never raises; `trouble` gives the reason.

    A thread keeps the total time, because a server that sends single bytes never reaches the pause limit.
    """
    found: list[Answer] = []
    thread = threading.Thread(target=lambda: found.append(_asked(method, address, credential, body)), daemon=True)
    thread.start()
    thread.join(within_s)
    return found[0] if found else Answer(0, trouble="no answer in time", may_pass=True)


def _asked(method: str, address: str, credential: str, body: bytes | None) -> Answer:
    # The library's error text may contain the request, so it is not passed on.
    try:
        return _read(method, address, credential, body)
    except requests.exceptions.SSLError:
        return Answer(0, trouble="its certificate is not one this machine trusts")
    except requests.exceptions.ProxyError:
        return Answer(0, trouble="the proxy of this machine does not let it through", may_pass=True)
    except requests.exceptions.Timeout:
        return Answer(0, trouble="no answer in time", may_pass=True)
    except requests.exceptions.ConnectionError:
        return Answer(0, trouble="no connection", may_pass=True)
    except (requests.exceptions.RequestException, OSError, ValueError):
        return Answer(0, trouble="the connection was closed", may_pass=True)


def _read(method: str, address: str, credential: str, body: bytes | None) -> Answer:
    headers = {"accept": "application/json", "accept-encoding": "identity", "user-agent": f"assay/{__version__}"}
    if body is not None:
        headers["content-type"] = "application/json"
    with _Session() as session, session.request(
        method,
        address,
        data=body,
        headers=headers,
        auth=Bearer(credential),
        timeout=(CONNECT_S, SILENCE_S),
        allow_redirects=False,
        stream=True,
    ) as response:  # fmt: skip
        data = b""
        for chunk in response.iter_content(_CHUNK_BYTES):
            data += chunk
            if len(data) > MOST_ANSWER_BYTES:
                return Answer(0, trouble=f"its response is longer than {MOST_ANSWER_BYTES // 1024} KiB")
        return Answer(response.status_code, data, {name.lower(): value for name, value in response.headers.items()})


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
