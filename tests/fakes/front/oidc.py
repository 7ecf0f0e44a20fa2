"""The tokens a job in GitHub Actions can ask for, and the keys to check them by."""

from __future__ import annotations

import base64
import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.fakes.front.exchange import Answer, Exchange, refused
from tests.fakes.front.routing import ROUTES

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

ISSUER = "/_services/token"
REQUEST = ISSUER + "/request"
KEY_ID = "the-fake-key"


@ROUTES.on("GET", ISSUER + "/.well-known/openid-configuration")
async def configuration(front: Front, exchange: Exchange) -> Answer:
    """Where the keys are."""
    issuer = f"{front.url}{ISSUER}"
    return Answer(200, {
        "issuer": issuer,
        "jwks_uri": f"{issuer}/.well-known/jwks",
        "subject_types_supported": ["public", "pairwise"],
        "response_types_supported": ["id_token"],
        "id_token_signing_alg_values_supported": ["RS256"],
    })  # fmt: skip


@ROUTES.on("GET", ISSUER + "/.well-known/jwks")
async def keys(front: Front, exchange: Exchange) -> Answer:
    """The public keys."""
    numbers = front.oidc_key.public_key().public_numbers()
    key = {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": KEY_ID, "n": _number(numbers.n), "e": _number(numbers.e)}
    return Answer(200, {"keys": [key]})


@ROUTES.on("GET", REQUEST)
async def requested(front: Front, exchange: Exchange) -> Answer:
    """The runner's own service: a job with `id-token: write` asks it for a token that says who it is."""
    claims = front.state.jobs.get(exchange.token.value) if exchange.token else None
    if claims is None:
        return refused(401, "Bad credentials")
    audience = exchange.query.get("audience", f"{front.url}/acme")
    return Answer(200, {"count": 1, "value": token(front, {"aud": audience} | claims)})


def token(front: Front, claims: dict[str, Any], *, key: rsa.RSAPrivateKey | None = None, **header: Any) -> str:
    """A token as a job would get it; `claims`, `key` and `header` may forge any part of it."""
    now = int(time.time())
    whole = {"iss": f"{front.url}{ISSUER}", "iat": now, "nbf": now - 5, "exp": now + 300, "jti": str(uuid4())} | claims
    return jwt.encode(whole, key or front.oidc_key, algorithm="RS256", headers={"kid": KEY_ID} | header)


def _number(value: int) -> str:
    raw = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
