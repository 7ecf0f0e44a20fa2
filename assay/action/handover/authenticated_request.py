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
"""For connecting, and for each silence while an answer comes; the whole has a limit of its own."""
MOST_ANSWER_BYTES = 64 * 1024
_CHUNK_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. Where nothing did: `status` 0, and `trouble` says why in a few words of ours.

    `headers` are by lower-case name; `may_pass` says that the same trouble may be over a moment later.
    """

    status: int
    body: bytes = b""
    headers: Mapping[str, str] | None = None
    trouble: str = ""
    may_pass: bool = False

    def header(self, name: str) -> str:
        """A header by its lower-case name, empty where it is missing."""
        return (self.headers or {}).get(name, "")


class Bearer(AuthBase):
    """Puts the credential on the request; given like this no `.netrc` of the machine replaces it."""

    def __init__(self, credential: str) -> None:
        self._credential = credential

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["authorization"] = f"Bearer {self._credential}"
        return request


def is_safe(address: str) -> bool:
    """Whether a credential may be sent there: by https, or to this machine itself."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if not host or parts.username or parts.password or not address.isprintable() or " " in address:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(host))


class _Session(requests.Session):
    """Knows no redirects: the library would read where one leads, and fail on nonsense, even if it is not to go."""

    def get_redirect_target(self, resp: requests.Response) -> None:
        """None, whatever the answer says."""


def ask(method: str, address: str, credential: str, *, within_s: float, body: bytes | None = None) -> Answer:
    """Send one request and read its answer, all of it within `within_s`. Never raises; `trouble` says what went wrong.

    The time is kept from outside, since a server that sends a byte now and then is never silent for long.
    """
    found: list[Answer] = []
    thread = threading.Thread(target=lambda: found.append(_asked(method, address, credential, body)), daemon=True)
    thread.start()
    thread.join(within_s)
    return found[0] if found else Answer(0, trouble="no answer in time", may_pass=True)


def _asked(method: str, address: str, credential: str, body: bytes | None) -> Answer:
    # What the library says of an error may hold what was sent, so none of it is passed on.
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
        return Answer(0, trouble="the connection broke off", may_pass=True)


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
                return Answer(0, trouble=f"its answer is longer than {MOST_ANSWER_BYTES // 1024} KiB")
        return Answer(response.status_code, data, {name.lower(): value for name, value in response.headers.items()})


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
