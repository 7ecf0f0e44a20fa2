"""Installation tokens, each for one repository with only the needed permissions.

They are valid for an hour, cached in memory until five minutes before expiry, and never in a log, error or `repr`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import jwt
from github.Auth import AppAuth, Auth

from assay.github.client.clock import Clock
from assay.github.client.connection import Connection
from assay.github.client.limits import RENEW_BEFORE_S, TOKEN_LIFETIME_S
from assay.github.errors import GithubRefused, GithubUnavailable, PermissionMissing, SettingsError

_ALGORITHM = "RS256"
MOST_TOKENS = 1_000
"""Chosen limit of the cache; the least recently used token is dropped first."""


@dataclass(frozen=True, slots=True)
class Token:
    """Token with its expiry; `full_name` is the repository's current name."""

    value: str = field(repr=False)
    expires_at: datetime
    full_name: str | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """Scope of a token; without a repository it covers all repositories of the installation."""

    installation_id: int
    repository_id: int | None
    permissions: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, installation_id: int, repository_id: int | None, permissions: Mapping[str, str]) -> Scope:
        """Create a scope; permissions are required, as a token without them gets all permissions of the App."""
        if not permissions:
            raise ValueError("a token needs explicit permissions")
        return cls(installation_id, repository_id, tuple(sorted(permissions.items())))


class Tokens:
    """Cache of the tokens of all installations."""

    def __init__(self, app: Connection, clock: Clock) -> None:
        self._app = app
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[Scope, Token] = OrderedDict()

    def __repr__(self) -> str:
        return f"Tokens({len(self._kept)} kept)"

    def get(self, scope: Scope) -> Token:
        """Return a token valid for at least five more minutes.

        Raises:
            PermissionMissing: the installation lacks a permission.
            GithubRefused: the installation is missing or suspended, or does not include the repository.
        """
        with self._lock:
            kept = self._kept.get(scope)
            if kept is not None and kept.expires_at - timedelta(seconds=RENEW_BEFORE_S) > self._clock.now():
                self._kept.move_to_end(scope)
                return kept
        token = self._made(scope)
        with self._lock:
            self._kept[scope] = token
            self._kept.move_to_end(scope)
            while len(self._kept) > MOST_TOKENS:
                self._kept.popitem(last=False)
        return token

    def forget(self, scope: Scope) -> None:
        """Drop a token that GitHub no longer accepts."""
        with self._lock:
            self._kept.pop(scope, None)

    def _made(self, scope: Scope) -> Token:
        what = "get a token of the installation"
        body: dict[str, Any] = {"permissions": dict(scope.permissions)}
        if scope.repository_id is not None:
            body["repository_ids"] = [scope.repository_id]
        path = f"/app/installations/{scope.installation_id}/access_tokens"
        try:
            # Creating a token is repeatable, and keeps no distance from other writes.
            data = self._app.send("POST", path, what, body=body, is_repeatable=True, is_write=False).data
        except GithubRefused as refused:
            if refused.status == 422 and "permission" in refused.why.lower():
                wanted = ", ".join(f"{name}: {level}" for name, level in scope.permissions)
                raise PermissionMissing(422, what, f"the installation lacks some of the permissions {wanted}") from None
            raise
        value = data.get("token") if isinstance(data, dict) else None
        if not isinstance(value, str) or not value:
            raise GithubUnavailable(what, "the answer has no token")
        return Token(value, self._expiry(data), _named(data, scope))

    def _expiry(self, data: Mapping[str, Any]) -> datetime:
        try:
            expires_at = datetime.fromisoformat(str(data.get("expires_at")))
        except ValueError:
            expires_at = None
        if expires_at is None or expires_at.tzinfo is None:
            return self._clock.now() + timedelta(seconds=TOKEN_LIFETIME_S)
        return expires_at


class InstallationAuth(Auth):
    """PyGithub credentials that return a valid token at every request."""

    def __init__(self, tokens: Tokens, scope: Scope) -> None:
        self._tokens = tokens
        self._scope = scope

    @property
    def token_type(self) -> str:
        """Authorization scheme of GitHub's documentation."""
        return "Bearer"

    @property
    def token(self) -> str:
        """Current token."""
        return self._tokens.get(self._scope).value


def app_auth(app_id: int, private_key: str) -> AppAuth:
    """Create the App's credentials, and sign once so that an invalid key fails at the start.

    Raises:
        SettingsError: the key is not an RSA private key.
    """
    try:
        # Parsed once: parsing validates the key, which takes longer than the rest of a token request.
        key = jwt.get_algorithm_by_name(_ALGORITHM).prepare_key(private_key)
        auth = AppAuth(app_id, sign_func=lambda claims: jwt.encode(claims, key, _ALGORITHM))
        auth.create_jwt()
    except (AssertionError, ValueError, TypeError, jwt.PyJWTError):
        raise SettingsError(
            "the private key is not an RSA key in PEM: download a new one from the App's page"
        ) from None
    return auth


def _named(data: Mapping[str, Any], scope: Scope) -> str | None:
    """Return the repository's current name, which the response contains for a token of one repository."""
    repositories = data.get("repositories")
    for one in repositories if isinstance(repositories, list) else ():
        if isinstance(one, dict) and one.get("id") == scope.repository_id and isinstance(one.get("full_name"), str):
            return str(one["full_name"])
    return None
