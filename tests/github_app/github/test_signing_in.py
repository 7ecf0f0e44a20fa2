"""People sign in as GitHub has it, and nothing of that works twice, by halves, or for somebody else."""

from __future__ import annotations

import base64
import hashlib
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from assay.github.client import Permission, SignIn
from assay.github.errors import GithubRefused, GithubUnavailable
from tests.fakes.github import FakeGitHub

CALLBACK = "http://127.0.0.1:8080/sign-in/callback"
VERIFIER = "v" * 64


@pytest.fixture
def sign_in(github: FakeGitHub) -> SignIn:
    return SignIn(github.client_id, github.client_secret, github.url, github.url)


def code_for(github: FakeGitHub, sign_in: SignIn, login: str, state: str = "a state") -> str:
    """What a browser comes back with when this person agrees."""
    digest = hashlib.sha256(VERIFIER.encode()).digest()
    address = sign_in.address(CALLBACK, state, base64.urlsafe_b64encode(digest).decode().rstrip("="))
    with httpx2.Client(trust_env=False) as browser:
        assert browser.get(address).status_code == 200
        given = {"login": login, "redirect_uri": CALLBACK, "state": state, "client_id": github.client_id, "scope": ""}
        back = browser.post(f"{github.url}/login/oauth/callback", data=given)
    answer = parse_qs(urlsplit(back.headers["location"]).query)
    assert answer["state"] == [state]
    return answer["code"][0]


def test_a_code_is_worth_a_token_of_whoever_agreed(github: FakeGitHub, sign_in: SignIn):
    github.create_repository("shop")
    github.person("ada", role="maintain")
    token = sign_in.token(code_for(github, sign_in, "ada"), VERIFIER)
    assert sign_in.account(token.value).login == "ada"
    assert token.expires_at is not None
    assert token.value not in repr(token)


@pytest.mark.parametrize("role", ["read", "triage", "write", "maintain", "admin"])
def test_what_somebody_may_read_is_what_they_have_a_right_to(role: str, github: FakeGitHub, sign_in: SignIn):
    shop, vault = github.create_repository("shop"), github.create_repository("vault")
    github.person("ada", role=role, repo=shop)
    token = sign_in.token(code_for(github, sign_in, "ada"), VERIFIER)
    assert sign_in.readable(token.value) == {github.repository_id(shop): Permission(role)}
    github.person("ada", role="none", repo=shop)
    github.person("ada", role="read", repo=vault)
    assert sign_in.readable(token.value) == {github.repository_id(vault): Permission.read}


def test_somebody_without_any_right_reads_nothing(github: FakeGitHub, sign_in: SignIn):
    github.create_repository("shop")
    github.person("sam")
    token = sign_in.token(code_for(github, sign_in, "sam"), VERIFIER)
    assert sign_in.readable(token.value) == {}


def test_more_repositories_than_a_page_holds_are_all_found(
    github: FakeGitHub, sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("assay.github.client.requester.PER_PAGE", 2)
    names = [github.create_repository(f"shop-{number}") for number in range(5)]
    for name in names:
        github.person("ada", role="read", repo=name)
    token = sign_in.token(code_for(github, sign_in, "ada"), VERIFIER)
    assert len(sign_in.readable(token.value)) == 5


def test_a_code_works_once(github: FakeGitHub, sign_in: SignIn):
    github.person("ada")
    code = code_for(github, sign_in, "ada")
    sign_in.token(code, VERIFIER)
    with pytest.raises(GithubRefused, match=r"github\.sign-in-refused"):
        sign_in.token(code, VERIFIER)


def test_a_code_is_of_no_use_to_who_did_not_begin(github: FakeGitHub, sign_in: SignIn):
    github.person("ada")
    with pytest.raises(GithubRefused, match=r"github\.sign-in-refused"):
        sign_in.token(code_for(github, sign_in, "ada"), "w" * 64)
    with pytest.raises(GithubRefused, match=r"github\.sign-in-refused"):
        sign_in.token("0" * 40, VERIFIER)


def test_wrong_credentials_of_the_app_are_said_so_and_not_shown(github: FakeGitHub, sign_in: SignIn):
    github.person("ada")
    wrong = SignIn(github.client_id, "not the secret", github.url, github.url)
    with pytest.raises(GithubRefused, match=r"github\.sign-in-refused") as refused:
        wrong.token(code_for(github, sign_in, "ada"), VERIFIER)
    assert "not the secret" not in str(refused.value) + repr(wrong)


def test_a_token_that_is_given_back_works_no_more(github: FakeGitHub, sign_in: SignIn):
    github.create_repository("shop")
    github.person("ada", role="read")
    token = sign_in.token(code_for(github, sign_in, "ada"), VERIFIER)
    sign_in.give_back(token.value)
    with pytest.raises(GithubRefused) as refused:
        sign_in.readable(token.value)
    assert refused.value.status == 401
    assert token.value not in str(refused.value)


@pytest.mark.parametrize("kind", [502, "reset"])
def test_a_github_that_does_not_answer_is_said_so(kind: int | str, github: FakeGitHub, sign_in: SignIn):
    github.person("ada")
    code = code_for(github, sign_in, "ada")
    github.front.fault("/login/oauth/access_token", kind, times=float("inf"))
    with pytest.raises(GithubUnavailable):
        sign_in.token(code, VERIFIER)


def test_a_suspended_installation_shows_nothing(github: FakeGitHub, sign_in: SignIn):
    github.create_repository("shop")
    github.person("ada", role="read")
    token = sign_in.token(code_for(github, sign_in, "ada"), VERIFIER)
    github.state.suspended = True
    assert sign_in.readable(token.value) == {}


def test_the_address_names_the_app_the_way_back_and_the_challenge():
    sign_in = SignIn("Iv1", "secret", "https://github.example.com/", "https://github.example.com/api/v3")
    address = sign_in.address(CALLBACK, "a&state", "c" * 43)
    parts = urlsplit(address)
    assert (parts.netloc, parts.path) == ("github.example.com", "/login/oauth/authorize")
    assert parse_qs(parts.query) == {
        "client_id": ["Iv1"], "redirect_uri": [CALLBACK], "state": ["a&state"],
        "code_challenge": ["c" * 43], "code_challenge_method": ["S256"],
    }  # fmt: skip
    assert "secret" not in address
