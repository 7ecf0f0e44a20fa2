"""Sessions of signed-in users: created by sign-in or login link, looked up for every page, ended by sign-out.

The cookie contains a random number. The store has its hash, and the user's token sealed with a key derived from the
number and the App's secret, so neither the database nor the cookie alone reveals the token.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import re
import secrets
import threading
from collections.abc import Callable
from datetime import datetime, timedelta

from cryptography.fernet import Fernet, InvalidToken

from assay.github.client import Permission, SignIn, UserToken
from assay.github.errors import GithubAppError, GithubRefused, GithubUnavailable
from assay.github_app.runtime.context import now
from assay.github_app.store import SessionRow, Store
from assay.github_app.web.dashboard.access.keys import key_for
from assay.github_app.web.dashboard.access.viewer import OPERATOR, Viewer

COOKIE = "assay_session"
SESSION_LIFETIME_S = 24 * 3600
PERSON_LIFETIME_S = 8 * 3600
"""GitHub, "Refreshing user access tokens": user tokens expire after eight hours; then one click signs in again."""
FRESH_S = 300
"""Age from which a user's permissions are requested again."""
STALE_S = 1800
"""Maximum age of permissions while GitHub is unavailable."""
_NUMBER = re.compile(r"[A-Za-z0-9_-]{43}")
_log = logging.getLogger(__name__)


class NotNow(Exception):
    """GitHub was unavailable too long to confirm a user's permissions."""


class Sessions:
    """Open sessions, shared by processes with the same secret and store."""

    def __init__(self, store: Store, secret: str, sign_in: SignIn | None, clock: Callable[[], datetime] = now) -> None:
        self._key = key_for("sessions", secret)
        self._store = store
        self._sign_in = sign_in
        self._clock = clock
        self._asking = threading.Lock()

    def __repr__(self) -> str:
        return "Sessions()"

    def begin_as_operator(self) -> str:
        """Create a session for the operator and return its cookie."""
        at = self._clock()
        number = secrets.token_urlsafe(32)
        until = at + timedelta(seconds=SESSION_LIFETIME_S)
        self._store.sessions.begin(SessionRow(_hash(number), None, None, None, {}, at, at, until))
        return number

    def begin(self, token: UserToken) -> str:
        """Create a session for a user and return its cookie. GitHub returns the account and its permissions.

        Raises:
            GithubRefused, GithubUnavailable: GitHub did not return them.
        """
        if self._sign_in is None:
            raise GithubRefused(404, "the login", "no client id and secret are set")
        account = self._sign_in.account(token.value)
        permissions = self._sign_in.readable(token.value)
        at, number = self._clock(), secrets.token_urlsafe(32)
        until = at + timedelta(seconds=PERSON_LIFETIME_S)
        until = until if token.expires_at is None else min(until, token.expires_at)
        sealed = self._seal(number).encrypt(token.value.encode()).decode()
        row = SessionRow(_hash(number), account.login, account.id, sealed, permissions, at, at, until)
        self._store.sessions.begin(row)
        return number

    def viewer(self, cookie: str | None) -> Viewer | None:
        """Return the viewer of a cookie; None if there is no session, or no longer.

        Raises:
            NotNow: GitHub was unavailable for half an hour.
        """
        if cookie is None or not _NUMBER.fullmatch(cookie):
            return None
        row = self._store.sessions.get(_hash(cookie), self._clock())
        if row is None or row.login is None:
            return OPERATOR if row is not None else None
        if self._age_s(row) > FRESH_S:
            row = self._refreshed(cookie)
        return None if row is None else _person(row)

    def form_token(self, cookie: str) -> str:
        """Return the token in every form of this session, which protects against forged forms."""
        return hmac.new(self._key, f"form\0{cookie}".encode(), hashlib.sha256).hexdigest()

    def is_form_of(self, cookie: str, token: str) -> bool:
        """Return whether a form belongs to this session."""
        return hmac.compare_digest(self.form_token(cookie).encode(), token.encode())

    def end(self, cookie: str) -> None:
        """Sign out, and revoke the token on GitHub if possible."""
        row = self._store.sessions.get(_hash(cookie), self._clock())
        self._store.sessions.end(_hash(cookie))
        token = self._token(cookie, row)
        if token is None or self._sign_in is None:
            return
        try:
            self._sign_in.give_back(token)
        except GithubAppError as error:
            _log.warning("token of a signed-out user stays valid until it expires: %s", error)

    def _refreshed(self, cookie: str) -> SessionRow | None:
        """Return the session with current data from GitHub. Serialized, so that parallel requests ask once."""
        with self._asking:
            row = self._store.sessions.get(_hash(cookie), self._clock())
            if row is None or self._age_s(row) <= FRESH_S:
                return row
            token = self._token(cookie, row)
            if token is None or self._sign_in is None:
                self._store.sessions.end(row.key)
                return None
            try:
                permissions = self._sign_in.readable(token)
            except GithubRefused as error:
                _log.info("a session ends: %s", error)
                self._store.sessions.end(row.key)
                return None
            except GithubUnavailable as error:
                if self._age_s(row) > STALE_S:
                    raise NotNow(str(error)) from None
                return row
            self._store.sessions.checked(row.key, permissions, self._clock())
            return self._store.sessions.get(row.key, self._clock())

    def _age_s(self, row: SessionRow) -> float:
        return (self._clock() - row.checked_at).total_seconds()

    def _token(self, cookie: str, row: SessionRow | None) -> str | None:
        if row is None or row.sealed_token is None:
            return None
        try:
            return self._seal(cookie).decrypt(row.sealed_token.encode()).decode()
        except InvalidToken:
            return None

    def _seal(self, number: str) -> Fernet:
        key = hmac.new(self._key, f"token\0{number}".encode(), hashlib.sha256).digest()
        return Fernet(base64.urlsafe_b64encode(key))


def _hash(number: str) -> str:
    return hashlib.sha256(number.encode()).hexdigest()


def _person(row: SessionRow) -> Viewer:
    levels = {one: Permission(level) for one, level in row.permissions.items() if level in tuple(Permission)}
    return Viewer(row.login, levels)
