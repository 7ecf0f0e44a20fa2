"""Who may speak to the server over HTTP: whoever brings the token, or one of the App's own made for this repository."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import anyio.to_thread
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.settings import AuthSettings
from pydantic import AnyHttpUrl

from assay.github.errors import StoreUnavailable
from assay.github_app.runtime.context import now
from assay.github_app.store import Scope, Store

LEAST_TOKEN = 16
"""Characters of a token that was made by hand; fewer can be guessed."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Access:
    """How requests over HTTP are let in."""

    verifier: TokenVerifier
    settings: AuthSettings

    @classmethod
    def at(cls, address: str, verifier: TokenVerifier) -> Access:
        """For a server at this address; its tokens are its own, so no other service is asked."""
        url = AnyHttpUrl(address)
        return cls(verifier, AuthSettings(issuer_url=url, resource_server_url=url, validate_token_resource=False))


class OneToken:
    """The one token that was set when the server was started."""

    def __init__(self, token: str) -> None:
        if len(token) < LEAST_TOKEN:
            raise ValueError(f"a token of fewer than {LEAST_TOKEN} characters can be guessed")
        self._token = token

    async def verify_token(self, token: str) -> AccessToken | None:
        """The token as the SDK has it, None where it is not ours."""
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode()):
            return None
        return AccessToken(token=token, client_id="assay-mcp", scopes=[])


class TokensOfTheApp:
    """The App's own tokens (`assay token create`), good for reading rules of the repository that is served."""

    def __init__(self, store: Store, repository_id: int, clock: Callable[[], datetime] = now) -> None:
        self._store, self._repository_id, self._clock = store, repository_id, clock

    async def verify_token(self, token: str) -> AccessToken | None:
        """The token as the SDK has it; None where it is not known, not good any more, or not for this."""
        return await anyio.to_thread.run_sync(self._verified, token)

    def _verified(self, token: str) -> AccessToken | None:
        try:
            row = self._store.tokens.known(token)
            if row is None or not row.is_good(self._clock()):
                return None
            if self._repository_id not in row.repository_ids or not row.scopes >= {Scope.rules_read, Scope.feedback}:
                return None
            self._store.tokens.used(row, self._clock())
        except StoreUnavailable as error:
            _log.warning("nobody is let in: %s", error)
            return None
        return AccessToken(token=token, client_id=row.id, scopes=sorted(map(str, row.scopes)))
