"""HTTP client for services that are not trusted: a deadline for the whole exchange, a size limit, and no redirects.

    with HttpClient() as client:
        reply = client.request("POST", url, within_s=20, most_bytes=1024 * 1024, json={"question": "…"})

Requests to the REST API of GitHub go through PyGithub instead (`assay.github.client`).
"""

from __future__ import annotations

import os
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Self

import httpx2

from assay import __version__

CONNECT_TIMEOUT_S = 10.0
MOST_CONNECTIONS = 64
_BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
"""Variables with more certificates, which PyGithub's library reads."""


class Failure(StrEnum):
    """Why a request has no usable response."""

    unreachable = "no connection"
    connect_timed_out = "no connection in time"
    timed_out = "no answer in time"
    untrusted = "its certificate is not one this machine trusts"
    proxy = "the proxy of this machine does not let it through"
    broken = "the connection was closed"
    too_large = "its response is too large"
    compressed = "its response is compressed, although identity encoding was requested"
    invalid = "invalid URL"
    no_certificates = "the certificates of this machine cannot be read"

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed a moment later."""
        return self in (
            Failure.unreachable,
            Failure.connect_timed_out,
            Failure.timed_out,
            Failure.proxy,
            Failure.broken,
        )


class HttpFailed(Exception):
    """Request without a usable response. The text has no part of the request or of the library's error."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Reply:
    """Response of any status; `headers` have lower-case names."""

    status: int
    body: bytes
    headers: Mapping[str, str]

    def header(self, name: str) -> str:
        """Return a header by its lower-case name; empty if missing."""
        return self.headers.get(name, "")


class HttpClient:
    """Connections that are kept open between requests. Thread-safe.

    `trust_env` uses the proxies and certificates of the environment. `retries_s` are the delays before another attempt
    to connect.

    Raises:
        HttpFailed: the certificates cannot be read.
    """

    def __init__(self, *, trust_env: bool = True, retries_s: Sequence[float] = ()) -> None:
        self._retries_s = tuple(retries_s)
        self._client = httpx2.Client(
            follow_redirects=False,
            limits=httpx2.Limits(max_connections=MOST_CONNECTIONS, max_keepalive_connections=MOST_CONNECTIONS),
            trust_env=trust_env,
            verify=certificates(trust_env=trust_env),
            headers={
                "accept": "application/json",
                "accept-encoding": "identity",  # a compressed body can grow a thousand times
                "user-agent": f"assay/{__version__}",
            },
        )

    def request(
        self,
        method: str,
        url: str,
        *,
        within_s: float,
        most_bytes: int,
        headers: Mapping[str, str] | None = None,
        params: Sequence[tuple[str, str]] | None = None,
        json: Any = None,
        content: bytes | None = None,
    ) -> Reply:
        """Send a request and return the response, within `within_s` in total. Redirects are returned, not followed.

        Raises:
            HttpFailed: there is no response, or it exceeds `most_bytes` or the deadline.
        """
        sent = {"headers": headers, "params": params or None, "json": json, "content": content}
        exchange = _Exchange(self._client, method, url, within_s, most_bytes, sent)
        for pause_s in (*self._retries_s, None):
            try:
                return exchange.reply()
            except HttpFailed as failed:
                # A request whose connection was refused did not arrive, so another attempt is safe.
                if pause_s is None or failed.failure is not Failure.unreachable or exchange.left_s <= pause_s:
                    raise
                time.sleep(pause_s)
        raise AssertionError("the last attempt returns or raises")

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Exchange:
    """One request in a thread, because a server that sends single bytes never reaches the limit of one read.

    asyncio could cancel it, but it loses the response of a server that refuses a request before reading all of it.
    """

    def __init__(
        self, client: httpx2.Client, method: str, url: str, within_s: float, most_bytes: int, sent: dict[str, Any]
    ) -> None:
        self._client = client
        self._method = method
        self._url = url
        self._until_s = time.monotonic() + within_s
        self._most_bytes = most_bytes
        self._sent = sent

    @property
    def left_s(self) -> float:
        return max(0.01, self._until_s - time.monotonic())

    def reply(self) -> Reply:
        done: list[Reply | Exception] = []
        thread = threading.Thread(target=lambda: done.append(self._ended()), name="http-client", daemon=True)
        thread.start()
        thread.join(self.left_s)
        result = done[0] if done else HttpFailed(Failure.timed_out)
        if isinstance(result, Exception):
            raise result
        return result

    def _ended(self) -> Reply | Exception:
        try:
            return self._read()
        except httpx2.ConnectTimeout:
            return HttpFailed(Failure.connect_timed_out)
        except httpx2.TimeoutException:
            return HttpFailed(Failure.timed_out)
        except httpx2.ProxyError:
            return HttpFailed(Failure.proxy)
        except httpx2.ConnectError as error:
            return HttpFailed(Failure.untrusted if _is_certificate(error) else Failure.unreachable)
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol, UnicodeError):
            return HttpFailed(Failure.invalid)
        except (httpx2.HTTPError, httpx2.StreamError, OSError):
            return HttpFailed(Failure.broken)
        except Exception as error:  # noqa: BLE001 - raised by the caller's thread, not printed by this one
            return error

    def _read(self) -> Reply:
        timeout = httpx2.Timeout(self.left_s, connect=min(CONNECT_TIMEOUT_S, self.left_s))
        with self._client.stream(self._method, self._url, timeout=timeout, **self._sent) as response:
            headers = {name.lower(): value for name, value in response.headers.items()}
            if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
                raise HttpFailed(Failure.compressed)
            announced = headers.get("content-length", "")
            if announced.isascii() and announced.isdecimal() and int(announced[:20]) > self._most_bytes:
                raise HttpFailed(Failure.too_large)
            body = bytearray()
            for piece in response.iter_raw():
                body += piece
                if len(body) > self._most_bytes:
                    raise HttpFailed(Failure.too_large)
                if time.monotonic() > self._until_s:
                    raise HttpFailed(Failure.timed_out)
            return Reply(response.status_code, bytes(body), headers)


def certificates(*, trust_env: bool = True) -> ssl.SSLContext:
    """Return the certificates this machine trusts, with those its environment names; raise `HttpFailed`."""
    return _certificates(trust_env, *(os.environ.get(name) for name in _BUNDLES))


@cache
def _certificates(trust_env: bool, *bundles: str | None) -> ssl.SSLContext:
    """Return the machine's certificates, with those of `_BUNDLES`; reading them takes 20 ms, so once per process."""
    try:
        context = httpx2.create_ssl_context(trust_env=trust_env)
        for place in bundles if trust_env else ():
            if place and os.path.isdir(place):
                context.load_verify_locations(capath=place)
            elif place and os.path.exists(place):
                context.load_verify_locations(cafile=place)
    except OSError:
        raise HttpFailed(Failure.no_certificates) from None
    return context


def _is_certificate(error: BaseException) -> bool:
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, ssl.SSLError):
            return True
        seen = seen.__cause__ or seen.__context__
    return False
