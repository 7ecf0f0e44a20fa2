"""Sign-in routes: the operator's login link, sign-in with GitHub, and sign-out.

    /sign-in -> GitHub (state, PKCE) -> /sign-in/callback?code&state -> a session

A sealed cookie links both halves for ten minutes: the state, the verifier whose hash GitHub received, and the page to
return to.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import re
import secrets
from collections.abc import Mapping
from typing import Annotated
from urllib.parse import quote

from cryptography.fernet import Fernet, InvalidToken
from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import RedirectResponse

from assay.github.client import SignIn
from assay.github.errors import GithubAppError
from assay.github_app.ops.settings import Settings
from assay.github_app.web.dashboard.access.keys import key_for
from assay.github_app.web.dashboard.access.login_links import LoginLinks
from assay.github_app.web.dashboard.access.sessions import COOKIE, SESSION_LIFETIME_S, Sessions
from assay.github_app.web.dashboard.forms import form
from assay.github_app.web.dashboard.rendering import Pages

WAY_COOKIE = "assay_signing_in"
WAY_LIFETIME_S = 600
"""GitHub: "The code will expire after 10 minutes"."""
CALLBACK = "/sign-in/callback"
MOST_WAY = 4096
_CODE = re.compile(r"[A-Za-z0-9_-]{1,255}")
_PLACE = re.compile(r"/(?:[A-Za-z0-9._~%?&=+#-][A-Za-z0-9._~%?&=+#/-]{0,300})?")
"""Path on the dashboard: it begins with a single slash, so it cannot name another host."""
_log = logging.getLogger(__name__)


class SignInFlow:
    """Sign-in state and responses; sessions are kept in `Sessions`."""

    def __init__(
        self, settings: Settings, pages: Pages, login_links: LoginLinks, sessions: Sessions, sign_in: SignIn | None
    ) -> None:
        self.pages = pages
        self.login_links = login_links
        self.sessions = sessions
        self.sign_in = sign_in
        self._public_url = settings.public_url
        self.is_https = (settings.public_url or "").startswith("https://")
        self._seal = Fernet(base64.urlsafe_b64encode(key_for("signing in", settings.secret())))

    def callback(self, request: Request) -> str:
        """Return the callback URL; it must equal the one registered with GitHub."""
        return (self._public_url or str(request.base_url).rstrip("/")) + CALLBACK

    def sealed(self, state: str, verifier: str, place: str) -> str:
        """Seal the data for the callback."""
        return self._seal.encrypt(json.dumps([state, verifier, place]).encode()).decode()

    def unsealed(self, cookie: str | None) -> tuple[str, str, str] | None:
        """Return (state, verifier, place) of a sign-in started here within ten minutes."""
        if cookie is None or len(cookie) > MOST_WAY:
            return None
        try:
            state, verifier, place = json.loads(self._seal.decrypt(cookie.encode(), ttl=WAY_LIFETIME_S))
        except (InvalidToken, ValueError):
            return None
        return str(state), str(verifier), str(place)

    def to_github(self, request: Request, to: str) -> Response:
        """Redirect to GitHub."""
        if self.sign_in is None:
            return self.sign_in_page(status=404)
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(48)
        digest = hashlib.sha256(verifier.encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        answer = RedirectResponse(self.sign_in.address(self.callback(request), state, challenge), 303)
        way = self.sealed(state, verifier, to if _PLACE.fullmatch(to) else "/")
        answer.set_cookie(
            WAY_COOKIE,
            way,
            max_age=WAY_LIFETIME_S,
            httponly=True,
            samesite="lax",
            secure=self.is_https,
            path="/sign-in",
        )
        return answer

    def from_github(self, way_cookie: str | None, code: str, state: str) -> Response:
        """Handle the callback from GitHub; `code` is empty if the user declined."""
        way = self.unsealed(way_cookie)
        if self.sign_in is None or way is None or not secrets.compare_digest(way[0].encode(), state.encode()):
            return self.sign_in_page("This response does not match a sign-in of this browser. Try again.", 403)
        if not _CODE.fullmatch(code):
            return self.sign_in_page("GitHub did not let you sign in. Try again.", 403)
        try:
            cookie = self.sessions.begin(self.sign_in.token(code, way[1]))
        except GithubAppError as trouble:
            _log.warning("sign-in failed: %s", trouble)
            return self.sign_in_page(str(trouble), 502)
        return self.with_session(cookie, way[2])

    def sign_in_page(self, why: str = "", status: int = 401, place: str = "/") -> Response:
        """Return the sign-in page."""
        return self.pages.show(
            "closed.html",
            status,
            title="Closed" if self.sign_in is None else "Sign in",
            why=why,
            can_sign_in=self.sign_in is not None,
            sign_in_href="/sign-in" if place == "/" else f"/sign-in?to={quote(place, safe='/')}",
        )

    def with_session(self, cookie: str, place: str) -> Response:
        """Redirect to a page, with the session's cookie."""
        answer = RedirectResponse(place, 303)
        answer.set_cookie(
            COOKIE, cookie, max_age=SESSION_LIFETIME_S, httponly=True, samesite="lax", secure=self.is_https, path="/"
        )
        answer.delete_cookie(WAY_COOKIE, path="/sign-in")
        return answer


def add_sign_in_routes(app: FastAPI, flow: SignInFlow) -> None:
    """Add the sign-in routes to the web application."""

    @app.get("/enter")
    def enter(token: Annotated[str, "from the link"] = "") -> Response:
        if not flow.login_links.accepts(token):
            return flow.sign_in_page("This link is invalid, used or expired.")
        return flow.with_session(flow.sessions.begin_as_operator(), "/")

    @app.get("/sign-in")
    def sign_in(request: Request, to: str = "/") -> Response:
        return flow.to_github(request, to)

    @app.get(CALLBACK)
    def callback(request: Request, code: str = "", state: str = "") -> Response:
        return flow.from_github(request.cookies.get(WAY_COOKIE), code, state)

    @app.post("/sign-out")
    def sign_out(request: Request, sent: Annotated[Mapping[str, str], Depends(form)]) -> Response:
        cookie = request.cookies.get(COOKIE)
        if cookie is not None:
            if not flow.sessions.is_form_of(cookie, sent.get("form_token", "")):
                return flow.sign_in_page("This form does not belong to your session. Nothing was done.", 403)
            flow.sessions.end(cookie)
        answer = RedirectResponse("/", 303)
        answer.delete_cookie(COOKIE, path="/")
        return answer
