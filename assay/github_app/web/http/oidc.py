"""Verification of identity tokens of GitHub Actions jobs (OIDC).

A valid token is signed with RS256 by a key that the issuer publishes, has our audience, and has not expired. Keys are
fetched from the issuer's own address, with limits, and cached; a token names a key, never an address to fetch one from.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.connections.http_client import HttpClient, HttpFailed
from assay.github.errors import ResultsRefused

MOST_TOKEN_CHARS = 16 * 1024
MOST_DOCUMENT_BYTES = 512 * 1024
FETCH_TIMEOUT_S = 10.0
KEEP_KEYS_S = 3600.0
ASK_AGAIN_S = 60.0
"""Minimum seconds between two requests to the issuer: any token can name an unknown key, which causes a request."""
LEEWAY_S = 30
SMALLEST_KEY_BITS = 2048

Fetch = Callable[[str], bytes]


class Identity(BaseModel):
    """Repository and job of a token, as its issuer states them."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    repository: str = Field(pattern=r"^[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}$")
    repository_id: int = Field(gt=0, lt=2**63)
    event_name: str = Field(pattern=r"^[a-z_]{1,64}$")
    run_id: int = Field(gt=0, lt=2**63)
    run_attempt: int = Field(gt=0, lt=10_000)
    ref: str = Field("", max_length=512)
    job_workflow_ref: str = Field(max_length=1024)
    job_workflow_sha: str = Field("", max_length=64)


@dataclass(frozen=True, slots=True)
class _Keys:
    by_id: Mapping[str, RSAPublicKey]
    fetched_at_s: float


class IdentityTokens:
    """Verifier of tokens of one issuer for one audience. Thread-safe."""

    def __init__(
        self, issuer: str, audience: str, *, fetch: Fetch | None = None, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._issuer = issuer.rstrip("/")
        self._audience = audience
        self._fetch = fetch or fetched
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._keys = _Keys({}, float("-inf"))
        self._asked_at_s = float("-inf")

    def verify(self, token: str) -> Identity:
        """Verify a token and return its identity. Raises `ResultsRefused` (401, or 503 if the keys are unavailable)."""
        if not self._audience:
            raise ResultsRefused(503, "no audience is set (ASSAY_RESULTS_AUDIENCE or ASSAY_PUBLIC_URL)")
        if len(token) > MOST_TOKEN_CHARS or token.count(".") != 2 or not token.isascii():
            raise ResultsRefused(401, "not an identity token")
        try:
            header = jwt.get_unverified_header(token)
        except jwt.PyJWTError:
            raise ResultsRefused(401, "not an identity token") from None
        key_id = header.get("kid")
        if header.get("alg") != "RS256" or not isinstance(key_id, str) or len(key_id) > 200 or "crit" in header:
            raise ResultsRefused(401, "the token is not signed with RS256 by a named key")
        return self._identity(token, self._key(key_id))

    def _identity(self, token: str, key: RSAPublicKey) -> Identity:
        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=["RS256"],
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY_S,
                options={"require": ["exp", "iat", "nbf", "iss", "aud", "sub"], "strict_aud": True},
            )
        except jwt.PyJWTError as error:
            raise ResultsRefused(401, f"the token is not valid: {_reason(error)}", _code(error)) from None
        try:
            return Identity.model_validate(claims)
        except ValidationError as error:
            names = ", ".join(sorted({str(one["loc"][0]) for one in error.errors() if one["loc"]}))
            raise ResultsRefused(401, f"the token lacks claims of a job's token: {names}") from None

    def _key(self, key_id: str) -> RSAPublicKey:
        with self._lock:
            now = self._clock_s()
            is_old = now - self._keys.fetched_at_s > KEEP_KEYS_S
            if (is_old or key_id not in self._keys.by_id) and now - self._asked_at_s >= ASK_AGAIN_S:
                self._asked_at_s = now
                self._renew(now)
            key = self._keys.by_id.get(key_id)
            if key is not None:
                return key
            if not self._keys.by_id:
                raise ResultsRefused(503, "the issuer's keys are unavailable; retry later")
            raise ResultsRefused(401, "the issuer in ASSAY_OIDC_ISSUER does not publish the key of the token", "issuer")

    def _renew(self, now: float) -> None:
        """Fetch the keys; if that fails, keep the cached ones for a day."""
        try:
            self._keys = _Keys(self._published(), now)
        except (HttpFailed, ValueError, LookupError, TypeError, AttributeError):
            if now - self._keys.fetched_at_s > 24 * KEEP_KEYS_S:
                self._keys = _Keys({}, float("-inf"))

    def _published(self) -> dict[str, RSAPublicKey]:
        about = json.loads(self._fetch(f"{self._issuer}/.well-known/openid-configuration"))
        place = about["jwks_uri"] if isinstance(about, dict) and isinstance(about.get("jwks_uri"), str) else ""
        if about.get("issuer", "").rstrip("/") != self._issuer or _origin(place) != _origin(self._issuer):
            raise ValueError("the issuer's keys are at another origin")
        found: dict[str, RSAPublicKey] = {}
        for one in json.loads(self._fetch(place))["keys"]:
            key = _usable(one)
            if key is not None:
                found[str(one["kid"])] = key
        if not found:
            raise ValueError("the issuer publishes no usable key")
        return found


def fetched(address: str) -> bytes:
    """Fetch a small document of the issuer, without following redirects. Raises `HttpFailed` or `ValueError`."""
    if urlsplit(address).scheme not in ("http", "https"):
        raise ValueError("the issuer's address must begin with http(s)://")
    with HttpClient() as client:
        reply = client.request("GET", address, within_s=FETCH_TIMEOUT_S, most_bytes=MOST_DOCUMENT_BYTES)
    if reply.status != 200:
        raise ValueError(f"the issuer answered {reply.status}")
    return reply.body


def _usable(data: Any) -> RSAPublicKey | None:
    """Return a published key if it may sign tokens, else None."""
    if not isinstance(data, dict) or data.get("kty") != "RSA" or not isinstance(data.get("kid"), str):
        return None
    if data.get("use", "sig") != "sig" or data.get("alg", "RS256") != "RS256" or "d" in data:
        return None
    try:
        key = jwt.PyJWK.from_dict(data, algorithm="RS256").key
    except (jwt.PyJWTError, ValueError, TypeError):
        return None
    return key if isinstance(key, RSAPublicKey) and key.key_size >= SMALLEST_KEY_BITS else None


def _origin(address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    return parts.scheme, parts.netloc


def _code(error: Exception) -> str:
    if isinstance(error, jwt.InvalidAudienceError):
        return "audience"
    return "issuer" if isinstance(error, jwt.InvalidIssuerError) else ""


def _reason(error: Exception) -> str:
    """Return what is wrong without text of the token."""
    known: dict[type[Exception], str] = {
        jwt.ExpiredSignatureError: "it has expired",
        jwt.ImmatureSignatureError: "it is not valid yet",
        jwt.InvalidAudienceError: "it has another audience",
        jwt.InvalidIssuerError: "it has another issuer",
        jwt.InvalidSignatureError: "its signature does not match",
        jwt.MissingRequiredClaimError: "it lacks a claim",
    }
    return next((reason for kind, reason in known.items() if isinstance(error, kind)), "it cannot be read")
