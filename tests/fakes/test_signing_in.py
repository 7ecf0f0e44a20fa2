"""Signing in at the fake GitHub: its answers are GitHub's, and it is as strict."""

from __future__ import annotations

import base64
import hashlib
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from tests.fakes.contract import judge_answer
from tests.fakes.front.exchange import Answer
from tests.fakes.github import FakeGitHub

CALLBACK = "http://127.0.0.1:8080/sign-in/callback"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(b"v" * 43).digest()).decode().rstrip("=")


@pytest.fixture
def token(github: FakeGitHub) -> str:
    """Ada's, of the App."""
    github.create_repository("shop")
    github.person("ada", role="triage")
    given = {"login": "ada", "redirect_uri": CALLBACK, "state": "s", "client_id": github.client_id, "scope": ""}
    with httpx2.Client(base_url=github.url, trust_env=False) as browser:
        asked = {"client_id": github.client_id, "redirect_uri": CALLBACK, "state": "s"}
        pkce = {"code_challenge": CHALLENGE, "code_challenge_method": "S256"}
        assert browser.get("/login/oauth/authorize", params={**asked, **pkce}).status_code == 200
        back = browser.post("/login/oauth/callback", data=given).headers["location"]
        body = {
            "client_id": github.client_id, "client_secret": github.client_secret, "code_verifier": "v" * 43,
            "code": parse_qs(urlsplit(back).query)["code"][0],
        }  # fmt: skip
        found: str = browser.post("/login/oauth/access_token", json=body).json()["access_token"]
    return found


def test_what_a_person_s_token_is_told_is_as_described(github: FakeGitHub, token: str):
    headers = {"authorization": f"Bearer {token}"}
    basic = httpx2.BasicAuth(github.client_id, github.client_secret)
    with httpx2.Client(base_url=github.url, trust_env=False) as asking:
        assert asking.get("/user", headers=headers).json()["login"] == "ada"
        found = asking.get("/user/installations", headers=headers).json()["installations"]
        path = f"/user/installations/{found[0]['id']}/repositories"
        (one,) = asking.get(path, headers=headers).json()["repositories"]
        assert one["permissions"] == {"pull": True, "triage": True, "push": False, "maintain": False, "admin": False}
        gone: dict[str, Any] = {"access_token": token}
        address = f"/applications/{github.client_id}/token"
        assert asking.request("DELETE", address, json=gone, auth=basic).status_code == 204
        assert asking.get("/user", headers=headers).status_code == 401
    api = [each for each in github.requests if not each.path.startswith("/login/") and each.status < 300]
    assert len(api) == 4
    for exchange in api:
        assert judge_answer(exchange, Answer(exchange.status, exchange.answer)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"client_id": "another"}, {"redirect_uri": "https://evil.example/sign-in/callback"}, {"code_challenge": ""},
        {"redirect_uri": "http://127.0.0.1:8080/elsewhere"}, {"code_challenge_method": "plain"},
    ],
)  # fmt: skip
def test_a_sign_in_that_github_would_not_begin_is_not_begun(change: dict[str, str], github: FakeGitHub):
    asked = {
        "client_id": github.client_id, "redirect_uri": CALLBACK, "state": "s", "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    }  # fmt: skip
    with httpx2.Client(base_url=github.url, trust_env=False) as browser:
        assert browser.get("/login/oauth/authorize", params=asked | change).status_code == 400


def test_an_installation_s_token_signs_nobody_in(github: FakeGitHub, asking: Any):
    github.create_repository("shop")
    assert asking(metadata="read")("GET", "/user/installations").status_code == 403
