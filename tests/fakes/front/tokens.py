"""Who is asking, and what they may do."""

from __future__ import annotations

import base64
import binascii
import time
from dataclasses import dataclass, field
from typing import Any

import jwt

from tests.fakes.front.exchange import Answer, Exchange, refused

# How the tokens of people begin; only tests have them.
PERSON = "gho_"
_LONGEST_JWT_S = 600
_GRACE_S = 60


@dataclass(frozen=True, slots=True)
class Token:
    """Somebody's credentials: an installation of the App (`ghs_`), the App itself (a JWT), a person (`gho_`), a person
    who signed in to the App (`user`, `ghu_`), a job of a workflow (`job`, `ghs_` too), or what a job asks its runner
    for an identity token with (`runner`).
    """

    value: str
    kind: str
    login: str = ""
    installation_id: int = 0
    permissions: dict[str, str] = field(default_factory=dict)
    repositories: frozenset[str] | None = None
    expires_at: float = float("inf")

    def may(self, permission: str, level: str) -> bool:
        """Has it this permission at this level? People may do everything here; the emulator looks after them."""
        if self.kind == "person":
            return True
        have = self.permissions.get(permission, "")
        return have in ({"write", "admin"} if level == "write" else {"read", "write", "admin"})

    def reaches(self, repo: str) -> bool:
        """Was it made for this repository?"""
        return self.kind == "person" or self.repositories is None or repo in self.repositories


def presented(exchange: Exchange) -> str:
    """The token of a request, from `Authorization: Bearer|token X` or Basic, as git sends it."""
    scheme, _, value = exchange.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return "?"
    return value.strip()


def app_token(value: str, app_id: int, public_key: Any) -> Token | Answer:
    """Check the App's JWT as strictly as GitHub does."""
    try:
        claims = jwt.decode(
            value,
            public_key,
            algorithms=["RS256"],
            leeway=_GRACE_S,
            options={"require": ["iss", "exp", "iat"], "verify_iss": False},
        )
    except jwt.PyJWTError as error:
        return refused(401, f"A JSON web token could not be decoded ({error})")
    if str(claims["iss"]) != str(app_id):
        return refused(401, "Integration not found")
    if claims["exp"] - time.time() > _LONGEST_JWT_S + _GRACE_S:
        return refused(401, "'Expiration time' claim ('exp') is too far in the future")
    return Token(value, "app")
