"""Who may see the pages: whoever holds a link that this machine's operator made, once; then a cookie for a day.

    /enter?token=EXPIRY.NONCE.SIGNATURE  ->  cookie EXPIRY.NONCE.SIGNATURE

Both are signed with keys derived from the webhook secret, which no page and no log shows. A link works once: the
server that took it remembers it until it expires, and `once` does, for all servers and after a restart.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
import time
from collections.abc import Callable

LINK_LIFETIME_S = 15 * 60
SESSION_LIFETIME_S = 24 * 3600
COOKIE = "assay_session"
_FORM = re.compile(r"(\d{1,12})\.([A-Za-z0-9_-]{20,64})\.([0-9a-f]{64})")


class Entrance:
    """Makes and checks links and cookies. Processes with the same secret understand each other."""

    def __init__(
        self, secret: str, clock: Callable[[], float] = time.time, *, once: Callable[[str], bool] | None = None
    ) -> None:
        """`once` is asked for the first use of a link's number, where several servers have to agree on it."""
        # Without a secret anybody could sign: then the key is one that nobody has, and the pages stay closed.
        known = b"assay pages\0" + secret.encode() if secret else secrets.token_bytes(32)
        self._key = hashlib.sha256(known).digest()
        self._clock = clock
        self._once = once or (lambda _: True)
        self._used: dict[str, float] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return "Entrance()"

    def link(self, base_url: str) -> str:
        """An address that lets its first visitor in, within a quarter of an hour."""
        return f"{base_url}/enter?token={self._signed('link', LINK_LIFETIME_S)}"

    def let_in(self, token: str) -> str | None:
        """A cookie's value for the token of a link; None where it is forged, expired or used."""
        checked = self._checked("link", token)
        if checked is None:
            return None
        nonce, expires_at = checked
        with self._lock:
            now = self._clock()
            self._used = {one: until for one, until in self._used.items() if until > now}
            if nonce in self._used:
                return None
            self._used[nonce] = expires_at
        if not self._once(nonce):
            return None
        return self._signed("session", SESSION_LIFETIME_S)

    def knows(self, cookie: str | None) -> bool:
        """Whether a cookie is one of ours and still good."""
        return cookie is not None and self._checked("session", cookie) is not None

    def _signed(self, purpose: str, lifetime_s: int) -> str:
        body = f"{int(self._clock()) + lifetime_s}.{secrets.token_urlsafe(24)}"
        return f"{body}.{self._signature(purpose, body)}"

    def _checked(self, purpose: str, text: str) -> tuple[str, float] | None:
        found = _FORM.fullmatch(text)
        if found is None:
            return None
        expires_at, nonce, signature = int(found[1]), found[2], found[3]
        if not hmac.compare_digest(signature, self._signature(purpose, f"{found[1]}.{nonce}")):
            return None
        return (nonce, float(expires_at)) if expires_at > self._clock() else None

    def _signature(self, purpose: str, body: str) -> str:
        return hmac.new(self._key, f"{purpose}\0{body}".encode(), hashlib.sha256).hexdigest()
