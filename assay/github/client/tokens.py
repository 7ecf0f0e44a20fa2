"""Credentials of the App, and of its installations: each token for one repository with only the needed permissions.

PyGithub's `AppInstallationAuth` narrows permissions, but not repositories. Tokens are valid for an hour, and never in a
log, error or `repr`.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Any

import jwt
from github.Auth import AppAuth, Auth
from pydantic import Field, TypeAdapter

from assay.github.client.limits import RENEW_BEFORE_S
from assay.github.client.requester import GithubRequester, understood
from assay.github.errors import GithubRefused, PermissionMissing, SettingsError
from assay.github.events.field_types import Moment
from assay.github.events.model import RepositoryFacts

_ALGORITHM = "RS256"


@dataclass(frozen=True, slots=True)
class _Token:
    """GitHub's answer; `repositories` are those of a token for one repository."""

    token: Annotated[str, Field(min_length=1, repr=False)] = field(repr=False)
    expires_at: Moment
    repositories: tuple[RepositoryFacts, ...] = ()


_TOKEN = TypeAdapter(_Token)


class InstallationAuth(Auth):
    """Credentials of an installation, with a token valid for at least five more minutes at every request."""

    def __init__(
        self,
        app: GithubRequester,
        installation_id: int,
        repository_id: int | None,
        permissions: Collection[tuple[str, str]],
    ) -> None:
        """Create credentials for one repository, or all of the installation, with only these permissions."""
        if not permissions:
            raise ValueError("a token needs explicit permissions: without them it gets all permissions of the App")
        self._app = app
        self._path = f"/app/installations/{installation_id}/access_tokens"
        self._repository_id = repository_id
        self._permissions = dict(sorted(permissions))
        self._lock = threading.Lock()
        self._kept: _Token | None = None

    @property
    def token_type(self) -> str:
        """Authorization scheme of GitHub's documentation."""
        return "Bearer"

    @property
    def token(self) -> str:
        """Current token.

        Raises:
            PermissionMissing: the installation lacks a permission.
            GithubRefused: the installation is missing or suspended, or does not include the repository.
        """
        return self._current().token

    @property
    def full_name(self) -> str | None:
        """Current name of the repository."""
        found = (one.full_name for one in self._current().repositories if one.id == self._repository_id)
        return next(found, None)

    def forget(self) -> None:
        """Drop a token that GitHub no longer accepts."""
        self._kept = None

    def _current(self) -> _Token:
        with self._lock:
            kept, now = self._kept, self._app.pace.clock.now()
            if kept is None or kept.expires_at - timedelta(seconds=RENEW_BEFORE_S) <= now:
                kept = self._kept = self._made()
            return kept

    def _made(self) -> _Token:
        wanted: dict[str, Any] = {"permissions": self._permissions}
        wanted |= {} if self._repository_id is None else {"repository_ids": [self._repository_id]}
        try:
            return understood(_TOKEN.validate_python, self._app.send("POST", self._path, wanted), self._path)
        except GithubRefused as refused:
            if refused.status == 422 and "permission" in refused.why.lower():
                names = ", ".join(f"{name}: {level}" for name, level in self._permissions.items())
                why = f"the installation lacks some of the permissions {names}"
                raise PermissionMissing(422, refused.what, why) from None
            raise


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
