"""People who sign in to the App: GitHub's web flow, as strict as GitHub is where the emulator is not.

The emulator shows the page on which one chooses who one is, and makes the codes. Here state, PKCE, client and callback
are looked at, and its tokens become what an App's users get: `ghu_`, for what both the App and the person may read.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from tests.fakes.front.exchange import Answer, Exchange, links_of, page_of, refused
from tests.fakes.front.routing import ROUTES
from tests.fakes.front.state import CLIENT_ID, CLIENT_SECRET, INSTALLATION_ID
from tests.fakes.front.tokens import Token

if TYPE_CHECKING:
    from tests.fakes.github_front import Front

CALLBACK = "/sign-in/callback"
_RIGHTS = {
    "read": ("pull",),
    "triage": ("pull", "triage"),
    "write": ("pull", "triage", "push"),
    "maintain": ("pull", "triage", "push", "maintain"),
    "admin": ("pull", "triage", "push", "maintain", "admin"),
}


@ROUTES.on("GET", "/login/oauth/authorize")
async def authorize(front: Front, exchange: Exchange) -> Answer:
    """The page on which a person agrees; here, on which one chooses a person."""
    given = exchange.query
    back = urlsplit(given.get("redirect_uri", ""))
    if given.get("client_id") != CLIENT_ID or back.path != CALLBACK or back.hostname != "127.0.0.1":
        return Answer(400, b"no such App, or the callback is not registered", {"content-type": "text/plain"})
    if given.get("code_challenge_method") != "S256" or len(given.get("code_challenge", "")) != 43:
        return Answer(400, b"without a PKCE challenge", {"content-type": "text/plain"})
    front.state.sign_ins[given.get("state", "")] = given["code_challenge"]
    return await front.passed_on(exchange)


@ROUTES.on("POST", "/login/oauth/callback")
async def agreed(front: Front, exchange: Exchange) -> Answer:
    """The person agrees: back to the App with a code, which remembers the challenge."""
    answer = await front.passed_on(exchange)
    sent = dict(parse_qsl(urlsplit(answer.headers.get("location", "")).query))
    sender = dict(parse_qsl(exchange.body.decode()))
    if answer.status == 302:
        front.state.sign_ins[sent["code"]] = front.state.sign_ins.pop(sent["state"], "")
        front.state.sign_in_logins[sent["code"]] = sender["login"]
    return answer


@ROUTES.on("POST", "/login/oauth/access_token")
async def exchanged(front: Front, exchange: Exchange) -> Answer:
    """A code for a token: once, by the App itself, with the verifier of its challenge. Refusals have status 200."""
    given = exchange.json or {}
    if given.get("client_id") != CLIENT_ID or given.get("client_secret") != CLIENT_SECRET:
        return Answer(200, {"error": "incorrect_client_credentials", "error_description": "wrong"})
    challenge = front.state.sign_ins.pop(str(given.get("code")), None)
    digest = hashlib.sha256(str(given.get("code_verifier", "")).encode()).digest()
    if challenge is None or base64.urlsafe_b64encode(digest).decode().rstrip("=") != challenge:
        return Answer(200, {"error": "bad_verification_code", "error_description": "The code is incorrect or expired."})
    answer = await front.passed_on(exchange)
    login = front.state.sign_in_logins.pop(given["code"])
    if "access_token" not in answer.body:
        return answer
    value = f"ghu_{secrets.token_hex(18)}"
    front.state.tokens[value] = Token(answer.body["access_token"], "user", login)
    return Answer(
        200,
        {"access_token": value, "token_type": "bearer", "scope": "", "expires_in": 28800}
        | {"refresh_token": f"ghr_{secrets.token_hex(18)}", "refresh_token_expires_in": 15897600},
    )


@ROUTES.on("GET", "/user/installations")
async def installations(front: Front, exchange: Exchange) -> Answer:
    """Where the App is installed that this person can see anything of."""
    if exchange.token is None or exchange.token.kind != "user":
        return refused(403, "You must authenticate with an access token authorized to a GitHub App")
    names = _readable(front, exchange.token.login)
    found = [await front.known(f"/repos/{names[0]}/installation")] if names else []
    return Answer(200, {"total_count": len(found), "installations": page_of(found, exchange)})


@ROUTES.on("GET", "/user/installations/{installation_id}/repositories")
async def repositories(front: Front, exchange: Exchange) -> Answer:
    """The repositories of an installation that this person has an explicit right to."""
    if exchange.token is None or exchange.token.kind != "user":
        return refused(403, "You must authenticate with an access token authorized to a GitHub App")
    names = _readable(front, exchange.token.login)
    if int(exchange.params["installation_id"]) != INSTALLATION_ID or not names:
        return refused(404, "Not Found")
    found: list[dict[str, Any]] = []
    for name in names:
        granted = _RIGHTS[front.state.permissions[(name, exchange.token.login)]]
        repository = await front.known(f"/repos/{name}")
        found.append(repository | {"permissions": {right: right in granted for right in _RIGHTS["admin"]}})
    body = {"total_count": len(found), "repository_selection": "all", "repositories": page_of(found, exchange)}
    return Answer(200, body, links_of(len(found), exchange, front.url))


@ROUTES.on("DELETE", "/applications/{client_id}/token")
async def given_back(front: Front, exchange: Exchange) -> Answer:
    """A person's token that the App needs no more; the App says who it is by its client id and secret."""
    known = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
    if exchange.headers.get("authorization") != f"Basic {known}" or exchange.params["client_id"] != CLIENT_ID:
        return refused(404, "Not Found")
    gone = front.state.tokens.pop(str((exchange.json or {}).get("access_token")), None)
    return Answer(204) if gone is not None else refused(422, "Validation Failed")


def _readable(front: Front, login: str) -> list[str]:
    state = front.state
    names = (name for name in state.repositories if name not in state.forks)
    return [name for name in names if state.permissions.get((name, login), "none") != "none"]
