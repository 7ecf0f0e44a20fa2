"""User login by GitHub's web flow, and the repositories a user may read.

GitHub, "Generating a user access token", strongly recommends state and PKCE (S256); both are always used.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote, urlencode

from github import Auth

from assay.github.client.clock import Clock
from assay.github.client.endpoints.conversation import Permission
from assay.github.client.pacing import Pace
from assay.github.client.requester import GithubRequester, quoted, understood
from assay.github.errors import GithubRefused

_EXCHANGE = "/login/oauth/access_token"
_AS_JSON = {"Accept": "application/json"}
# Names of permissions in a user's list of repositories, from the highest.
_RIGHTS = (
    ("admin", Permission.admin),
    ("maintain", Permission.maintain),
    ("push", Permission.write),
    ("triage", Permission.triage),
    ("pull", Permission.read),
)


@dataclass(frozen=True, slots=True)
class UserToken:
    """User access token with the rights that both user and App have; never log it or store it in the clear."""

    value: str = field(repr=False)
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Account:
    """Account of a token; the id survives a renaming."""

    id: int
    login: str


class SignIn:
    """Login client of the App; thread-safe."""

    def __init__(
        self, client_id: str, client_secret: str, github_url: str, api_url: str, *, clock: Clock | None = None
    ) -> None:
        self.client_id = client_id
        self._client_secret = client_secret
        self._github_url = github_url.rstrip("/")
        self._api_url = api_url.rstrip("/")
        self._clock = clock or Clock()

    def __repr__(self) -> str:
        return f"SignIn(client_id={self.client_id!r})"

    def address(self, redirect_url: str, state: str, challenge: str) -> str:
        """Return the login URL; GitHub redirects from it to `redirect_url` with a code and `state`."""
        given = {
            "client_id": self.client_id,
            "redirect_uri": redirect_url,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{self._github_url}/login/oauth/authorize?{urlencode(given, quote_via=quote)}"

    def token(self, code: str, verifier: str) -> UserToken:
        """Exchange a code for a token, once and within ten minutes.

        Raises:
            GithubRefused: the code is invalid, used or expired, or the App's credentials are wrong.
            GithubUnavailable: no response.
        """
        secrets = {"client_id": self.client_id, "client_secret": self._client_secret}
        wanted = {**secrets, "code": code, "code_verifier": verifier}
        # The web site may have another host than the API; PyGithub's login makes a requester without pace and errors.
        with closing(GithubRequester(self._github_url, None, Pace(self._clock))) as requester:
            _, data = requester.requestJsonAndCheck("POST", _EXCHANGE, headers=_AS_JSON, input=wanted)
        given = data if isinstance(data, dict) else {}
        if not isinstance(given.get("access_token"), str):
            raise GithubRefused(200, "the sign-in", _reason(given.get("error")), code="github.sign-in-refused")
        lifetime_s = given.get("expires_in")
        expires_at = self._clock.now() + timedelta(seconds=lifetime_s) if isinstance(lifetime_s, int) else None
        return UserToken(given["access_token"], expires_at)

    def account(self, token: str) -> Account:
        """Return the account of a token."""
        with closing(self._as(Auth.Token(token))) as requester:
            return understood(
                lambda given: Account(int(given["id"]), str(given["login"])), requester.get("/user"), "/user"
            )

    def readable(self, token: str) -> Mapping[int, Permission]:
        """Return the repositories that both user and App may read, with the user's permission.

        Raises:
            GithubRefused: (401) the token is expired or revoked.
        """
        found: dict[int, Permission] = {}
        with closing(self._as(Auth.Token(token))) as requester:
            for number in requester.items("/user/installations", _awake, "installations"):
                if number is not None:
                    path = f"/user/installations/{number}/repositories"
                    found |= dict(requester.items(path, _right, "repositories"))
        return {repository_id: level for repository_id, level in found.items() if level is not Permission.none}

    def give_back(self, token: str) -> None:
        """Revoke a token."""
        with closing(self._as(Auth.Login(self.client_id, self._client_secret))) as requester:
            requester.send("DELETE", f"/applications/{quoted(self.client_id)}/token", {"access_token": token})

    def _as(self, auth: Auth.Auth) -> GithubRequester:
        return GithubRequester(self._api_url, auth, Pace(self._clock))


def _right(data: dict[str, Any]) -> tuple[int, Permission]:
    granted = data.get("permissions") or {}
    level = next((level for name, level in _RIGHTS if granted.get(name) is True), Permission.none)
    return int(data["id"]), level


def _awake(installation: dict[str, Any]) -> int | None:
    """Return the id of an installation; None for a suspended one, as requests for it fail."""
    return int(installation["id"]) if installation.get("suspended_at") is None else None


def _reason(word: object) -> str:
    """Return the cause by GitHub's error code, which contains no secret."""
    return {
        "bad_verification_code": "the code is invalid, used or expired: sign in again",
        "incorrect_client_credentials": "the App's client id or client secret is wrong",
        "redirect_uri_mismatch": "the App's callback address on GitHub is another one",
    }.get(str(word), "it returned no token: sign in again")
