"""Verification of identity tokens of GitHub Actions jobs (OIDC).

A valid token is signed with RS256 by a key that the issuer publishes, has our audience, and has not expired. Keys are
fetched from the issuer's own address, within limits; a token names a key, never an address to fetch one from.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import jwt
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


class _Keys(jwt.PyJWKClient):
    """Published keys of an issuer, kept for an hour."""

    def __init__(self, issuer: str, fetch: Fetch) -> None:
        super().__init__(f"{issuer}/.well-known/jwks", lifespan=KEEP_KEYS_S, cooldown_duration=ASK_AGAIN_S)
        self._fetch = fetch
        self._asked_at_s = float("-inf")

    def fetch_data(self) -> Any:
        """Fetch the keys, at most once a minute, also from an issuer that does not answer."""
        if time.monotonic() - self._asked_at_s < ASK_AGAIN_S:
            raise jwt.PyJWKClientConnectionError("the issuer was asked a moment ago")
        self._asked_at_s = time.monotonic()
        try:
            found = jwt.PyJWKSet([key for key in json.loads(self._fetch(self.uri))["keys"] if _is_usable(key)])
        except (HttpFailed, ValueError, LookupError, TypeError, jwt.PyJWTError) as error:
            raise jwt.PyJWKClientConnectionError(type(error).__name__) from None
        self._last_successful_fetch = time.monotonic()
        return found


class IdentityTokens:
    """Verifier of tokens of one issuer for one audience. Thread-safe."""

    def __init__(self, issuer: str, audience: str, *, fetch: Fetch | None = None) -> None:
        self._issuer = issuer.rstrip("/")
        self._audience = audience
        self._keys = _Keys(self._issuer, fetch or fetched)

    def verify(self, token: str) -> Identity:
        """Verify a token and return its identity. Raises `ResultsRefused` (401, or 503 if the keys are unavailable)."""
        if not self._audience:
            raise ResultsRefused(503, "no audience is set (ASSAY_RESULTS_AUDIENCE or ASSAY_PUBLIC_URL)")
        if len(token) > MOST_TOKEN_CHARS or not token.isascii():
            raise ResultsRefused(401, "not an identity token")
        try:
            claims = jwt.decode(
                token,
                self._key(token),
                algorithms=["RS256"],
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY_S,
                options={
                    "require": ["exp", "iat", "nbf", "iss", "aud", "sub"],
                    "strict_aud": True,
                    "enforce_minimum_key_length": True,
                },
            )
            return Identity.model_validate(claims)
        except jwt.PyJWTError as error:
            raise ResultsRefused(401, f"the token is not valid: {_reason(error)}", _code(error)) from None
        except ValidationError as error:
            names = ", ".join(sorted({str(one["loc"][0]) for one in error.errors() if one["loc"]}))
            raise ResultsRefused(401, f"the token lacks claims of a job's token: {names}") from None

    def _key(self, token: str) -> jwt.PyJWK:
        header = jwt.get_unverified_header(token)
        key_id = header.get("kid")
        if header.get("alg") != "RS256" or not isinstance(key_id, str) or len(key_id) > 200:
            raise ResultsRefused(401, "the token is not signed with RS256 by a named key")
        try:
            return self._keys.get_signing_key(key_id)
        except jwt.PyJWKClientConnectionError:
            raise ResultsRefused(503, "the issuer's keys are unavailable; retry later") from None
        except jwt.PyJWKClientError:
            why = "the issuer in ASSAY_OIDC_ISSUER does not publish the key of the token"
            raise ResultsRefused(401, why, "issuer") from None


def fetched(address: str) -> bytes:
    """Fetch a small document of the issuer, without following redirects. Raises `HttpFailed` or `ValueError`."""
    with HttpClient() as client:
        reply = client.request("GET", address, within_s=FETCH_TIMEOUT_S, most_bytes=MOST_DOCUMENT_BYTES)
    if reply.status != 200:
        raise ValueError(f"the issuer answered {reply.status}")
    return reply.body


def _is_usable(key: Any) -> bool:
    """Return whether a published key may sign tokens."""
    return isinstance(key, dict) and key.get("kty") == "RSA" and key.get("alg", "RS256") == "RS256" and "d" not in key


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
