"""An issuer of identity tokens, and whatever can be signed in its name or against it."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from assay.connections.http_client import Failure, HttpFailed

ISSUER = "https://token.actions.example"
AUDIENCE = "https://assay.example"
WORKFLOW = "assay-dev/assay/.github/workflows/validate.yml"
TRUSTED = f"{WORKFLOW}@refs/tags/v1"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def number(value: int) -> str:
    raw = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def published(key: rsa.RSAPrivateKey = KEY, kid: str = "k1", **more: str) -> dict[str, Any]:
    numbers = key.public_key().public_numbers()
    return {
        "kty": "RSA",
        "alg": "RS256",
        "use": "sig",
        "kid": kid,
        "n": number(numbers.n),
        "e": number(numbers.e),
    } | more


class Issuer:
    """Publishes keys, and counts who asks."""

    def __init__(self) -> None:
        self.keys = [published()]
        self.asked: list[str] = []
        self.is_away = False

    def fetch(self, address: str) -> bytes:
        self.asked.append(address)
        if self.is_away:
            raise HttpFailed(Failure.timed_out)
        return json.dumps({"keys": self.keys}).encode()


class Clock:
    now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def claims(**more: Any) -> dict[str, Any]:
    now = int(time.time())
    usual = {
        "iss": ISSUER, "aud": AUDIENCE, "sub": "repo:acme/shop:pull_request",
        "iat": now, "nbf": now - 5, "exp": now + 300,
        "repository": "acme/shop", "repository_id": "77", "event_name": "pull_request",
        "run_id": "500", "run_attempt": "1",
        "ref": "refs/pull/7/merge", "sha": "cd" * 20, "job_workflow_ref": TRUSTED, "job_workflow_sha": "ef" * 20,
    }  # fmt: skip
    return {name: value for name, value in (usual | more).items() if value is not None}


def token(key: rsa.RSAPrivateKey = KEY, kid: str | None = "k1", **more: Any) -> str:
    return jwt.encode(claims(**more), key, algorithm="RS256", headers={} if kid is None else {"kid": kid})


def part(data: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).rstrip(b"=").decode()
