"""Single-use login links for the operator of this machine.

    /enter?token=EXPIRY.NONCE.SIGNATURE

Links are signed with a key derived from the webhook secret, which no page or log shows. The server that accepts a link
remembers it until it expires; `once` does so for all servers and across restarts.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
import time
from collections.abc import Callable

from assay.github_app.web.dashboard.access.keys import key_for

LINK_LIFETIME_S = 15 * 60
_FORM = re.compile(r"(\d{1,12})\.([A-Za-z0-9_-]{20,64})\.([0-9a-f]{64})")


class LoginLinks:
    """Creates and verifies links; processes with the same secret accept each other's."""

    def __init__(
        self, secret: str, clock: Callable[[], float] = time.time, *, once: Callable[[str], bool] | None = None
    ) -> None:
        """Set the secret; `once` returns whether a link's number is used for the first time, across servers."""
        self._key = key_for("pages", secret)
        self._clock = clock
        self._once = once or (lambda _: True)
        self._used: dict[str, float] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return "LoginLinks()"

    def link(self, base_url: str) -> str:
        """Return a URL that signs in its first visitor, valid for 15 minutes."""
        body = f"{int(self._clock()) + LINK_LIFETIME_S}.{secrets.token_urlsafe(24)}"
        return f"{base_url}/enter?token={body}.{self._signature(body)}"

    def accepts(self, token: str) -> bool:
        """Return whether a link's token is valid; False if it is forged, expired or used."""
        checked = self._checked(token)
        if checked is None:
            return False
        nonce, expires_at = checked
        with self._lock:
            now = self._clock()
            self._used = {one: until for one, until in self._used.items() if until > now}
            if nonce in self._used:
                return False
            self._used[nonce] = expires_at
        return self._once(nonce)

    def _checked(self, text: str) -> tuple[str, float] | None:
        found = _FORM.fullmatch(text)
        if found is None:
            return None
        expires_at, nonce, signature = int(found[1]), found[2], found[3]
        if not hmac.compare_digest(signature, self._signature(f"{found[1]}.{nonce}")):
            return None
        return (nonce, float(expires_at)) if expires_at > self._clock() else None

    def _signature(self, body: str) -> str:
        return hmac.new(self._key, f"link\0{body}".encode(), hashlib.sha256).hexdigest()
