"""Who is inside: sessions that begin with a sign-in or a link, are looked up for every page, and end.

The cookie holds a random number. The store knows its hash, and a person's token sealed with a key made from the number
and the App's own secret: nobody who reads the database, or the cookie, alone can use either.
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
from assay.github_app.dashboard.keys import key_for
from assay.github_app.dashboard.viewer import OPERATOR, Viewer
from assay.github_app.runtime.context import now
from assay.github_app.store import SessionRow, Store

COOKIE = "assay_session"
SESSION_LIFETIME_S = 24 * 3600
PERSON_LIFETIME_S = 8 * 3600
"""GitHub, "Refreshing user access tokens": a user's token is good for eight hours; then one click signs in again."""
FRESH_S = 300
"""What somebody may read is asked anew after this time."""
STALE_S = 1800
"""While GitHub cannot be asked, what it said last counts for so long."""
_NUMBER = re.compile(r"[A-Za-z0-9_-]{43}")
_log = logging.getLogger(__name__)


class NotNow(Exception):
    """GitHub could not say for too long what somebody may read."""


class Sessions:
    """All that are open. Processes with the same secret and the same store know the same ones."""

    def __init__(self, store: Store, secret: str, sign_in: SignIn | None, clock: Callable[[], datetime] = now) -> None:
        self._key = key_for("sessions", secret)
        self._store = store
        self._sign_in = sign_in
        self._clock = clock
        self._asking = threading.Lock()

    def __repr__(self) -> str:
        return "Sessions()"

    def let_operator_in(self) -> str:
        """The cookie of whoever came by a link."""
        at = self._clock()
        number = secrets.token_urlsafe(32)
        until = at + timedelta(seconds=SESSION_LIFETIME_S)
        self._store.sessions.begin(SessionRow(_hash(number), None, None, None, {}, at, at, until))
        return number

    def let_in(self, token: UserToken) -> str:
        """The cookie of somebody who signed in. GitHub is asked who it is and what they may read.

        Raises:
            GithubRefused, GithubUnavailable: it did not say.
        """
        if self._sign_in is None:
            raise GithubRefused(404, "sign somebody in", "no client id and secret are set")
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
        """Who holds this cookie; None for nobody, or nobody any more.

        Raises:
            NotNow: GitHub could not be asked for half an hour what they may read.
        """
        if cookie is None or not _NUMBER.fullmatch(cookie):
            return None
        row = self._store.sessions.get(_hash(cookie), self._clock())
        if row is None or row.login is None:
            return OPERATOR if row is not None else None
        if self._age_s(row) > FRESH_S:
            row = self._asked_anew(cookie)
        return None if row is None else _person(row)

    def form_token(self, cookie: str) -> str:
        """What every form of this session carries, so that no other page can send it."""
        return hmac.new(self._key, f"form\0{cookie}".encode(), hashlib.sha256).hexdigest()

    def is_form_of(self, cookie: str, token: str) -> bool:
        """Whether a form was made for this session."""
        return hmac.compare_digest(self.form_token(cookie).encode(), token.encode())

    def end(self, cookie: str) -> None:
        """Sign out; GitHub is told to forget the token, where it can be told."""
        row = self._store.sessions.get(_hash(cookie), self._clock())
        self._store.sessions.end(_hash(cookie))
        token = self._token(cookie, row)
        if token is None or self._sign_in is None:
            return
        try:
            self._sign_in.give_back(token)
        except GithubAppError as error:
            _log.warning("a token of somebody who signed out lives until it expires: %s", error)

    def _asked_anew(self, cookie: str) -> SessionRow | None:
        """The session with what GitHub says now. One at a time: a page's many requests ask once."""
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
