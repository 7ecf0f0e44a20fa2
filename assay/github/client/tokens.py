"""Tokens of installations: each for one repository and no more permissions than the work at hand takes.

They live an hour, are kept in memory until five minutes before that, and never appear in a log, an error or a `repr`.
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
"""Ours: kept at once; the one that was used longest ago goes first."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token and until when it is good; `full_name` is what the repository is called now."""

    value: str = field(repr=False)
    expires_at: datetime
    full_name: str | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """What a token is for. Without a repository it reaches all of the installation's."""

    installation_id: int
    repository_id: int | None
    permissions: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, installation_id: int, repository_id: int | None, permissions: Mapping[str, str]) -> Scope:
        """A scope; without permissions a token could do everything the App may, so that is refused."""
        if not permissions:
            raise ValueError("say which permissions the token is to have")
        return cls(installation_id, repository_id, tuple(sorted(permissions.items())))


class Tokens:
    """Makes and keeps the tokens of all installations."""

    def __init__(self, app: Connection, clock: Clock) -> None:
        self._app = app
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[Scope, Token] = OrderedDict()

    def __repr__(self) -> str:
        return f"Tokens({len(self._kept)} kept)"

    def get(self, scope: Scope) -> Token:
        """A token that is good for another five minutes at least.

        Raises:
            PermissionMissing: the installation was not given one of the permissions.
            GithubRefused: there is no such installation, it is suspended, or it does not reach the repository.
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
        """It was not accepted any more."""
        with self._lock:
            self._kept.pop(scope, None)

    def _made(self, scope: Scope) -> Token:
        what = "get a token of the installation"
        body: dict[str, Any] = {"permissions": dict(scope.permissions)}
        if scope.repository_id is not None:
            body["repository_ids"] = [scope.repository_id]
        path = f"/app/installations/{scope.installation_id}/access_tokens"
        try:
            # A second token does no harm; it is no content either, so it takes none of the writes' allowance.
            data = self._app.send("POST", path, what, body=body, is_repeatable=True, is_content=False).data
        except GithubRefused as refused:
            if refused.status == 422 and "permission" in refused.why.lower():
                wanted = ", ".join(f"{name}: {level}" for name, level in scope.permissions)
                raise PermissionMissing(422, what, f"the installation was not given all of {wanted}") from None
            raise
        value = data.get("token") if isinstance(data, dict) else None
        if not isinstance(value, str) or not value:
            raise GithubUnavailable(what, "the answer holds no token")
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
    """Credentials for PyGithub that are fresh at every request."""

    def __init__(self, tokens: Tokens, scope: Scope) -> None:
        self._tokens = tokens
        self._scope = scope

    @property
    def token_type(self) -> str:
        """As GitHub's documentation sends it."""
        return "Bearer"

    @property
    def token(self) -> str:
        """The token itself."""
        return self._tokens.get(self._scope).value


def app_auth(app_id: int, private_key: str) -> AppAuth:
    """The App's own credentials, tried once so that a wrong key is told at the start and not by GitHub.

    Raises:
        SettingsError: the key is not an RSA private key.
    """
    try:
        # Read once: a key is checked when it is read, which takes longer than all else of asking for a token.
        key = jwt.get_algorithm_by_name(_ALGORITHM).prepare_key(private_key)
        auth = AppAuth(app_id, sign_func=lambda claims: jwt.encode(claims, key, _ALGORITHM))
        auth.create_jwt()
    except (AssertionError, ValueError, TypeError, jwt.PyJWTError):
        raise SettingsError(
            "the private key is not an RSA key in PEM: download a new one from the App's page"
        ) from None
    return auth


def _named(data: Mapping[str, Any], scope: Scope) -> str | None:
    """The repository's name of today, which the answer tells where the token is for one alone."""
    repositories = data.get("repositories")
    for one in repositories if isinstance(repositories, list) else ():
        if isinstance(one, dict) and one.get("id") == scope.repository_id and isinstance(one.get("full_name"), str):
            return str(one["full_name"])
    return None
