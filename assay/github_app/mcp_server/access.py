"""Authentication of HTTP requests: by one configured token, or by the App's tokens for this repository."""

from __future__ import annotations

import hmac
import logging
from dataclasses import dataclass

import anyio.to_thread
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.settings import AuthSettings
from pydantic import AnyHttpUrl

from assay.github.errors import StoreUnavailable
from assay.github_app.runtime.context import now
from assay.github_app.store import Scope, Store

LEAST_TOKEN = 16
"""Minimum characters of a configured token; shorter ones can be guessed."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Access:
    """Verifier and settings of HTTP authentication."""

    verifier: TokenVerifier
    settings: AuthSettings

    @classmethod
    def at(cls, address: str, verifier: TokenVerifier) -> Access:
        """Create the access for a server at this address, which verifies its tokens itself."""
        url = AnyHttpUrl(address)
        return cls(verifier, AuthSettings(issuer_url=url, resource_server_url=url, validate_token_resource=False))


class FixedToken:
    """Verifier of the one token set at the start of the server."""

    def __init__(self, token: str) -> None:
        if len(token) < LEAST_TOKEN:
            raise ValueError(f"the token needs at least {LEAST_TOKEN} characters, shorter ones can be guessed")
        self._token = token

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the token as the SDK's type, or None if it is another one."""
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode()):
            return None
        return AccessToken(token=token, client_id="assay-mcp", scopes=[])


class AppTokens:
    """Verifier of the App's tokens (`assay token create`) with access to rules and feedback of the repository."""

    def __init__(self, store: Store, repository_id: int) -> None:
        self._store, self._repository_id = store, repository_id

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return the token as the SDK's type, or None if it is unknown, expired, revoked or lacks access."""
        return await anyio.to_thread.run_sync(self._verified, token)

    def _verified(self, token: str) -> AccessToken | None:
        try:
            row = self._store.tokens.known(token)
            if row is None or not row.is_good(now()):
                return None
            if self._repository_id not in row.repository_ids or not row.scopes >= {Scope.rules_read, Scope.feedback}:
                return None
            self._store.tokens.used(row, now())
        except StoreUnavailable as error:
            _log.warning("request refused: %s", error)
            return None
        return AccessToken(token=token, client_id=row.id, scopes=sorted(map(str, row.scopes)))
