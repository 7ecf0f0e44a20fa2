"""Tokens: narrow, kept while they are good, renewed in time, and never seen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from assay.github.client import Clock, Github
from assay.github.client.limits import RENEW_BEFORE_S
from assay.github.errors import GithubRefused, PermissionMissing, SettingsError
from assay.github_app.ops.permissions import FOR_CHECKOUT, FOR_PUBLISHING
from tests.fakes.github import FakeGitHub


@dataclass
class Later:
    """A clock that can be put forward."""

    by: timedelta = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.by


def made(github: FakeGitHub) -> list[dict[str, object]]:
    """The bodies of the requests for tokens."""
    return [one.json for one in github.requests if one.path.endswith("/access_tokens")]


def test_a_token_is_asked_for_one_repository_and_no_more_than_the_work_takes(github: FakeGitHub, app: Github):
    repository_id = github.get(f"/repos/{github.create_repository('shop')}")["id"]
    token = app.token(github.installation_id, repository_id, FOR_CHECKOUT)
    assert made(github) == [{"permissions": dict(FOR_CHECKOUT), "repository_ids": [repository_id]}]
    assert github.state.tokens[token].permissions == dict(FOR_CHECKOUT)
    assert github.state.tokens[token].repositories == frozenset({"acme/shop"})


def test_a_token_without_permissions_to_name_is_never_asked_for(app: Github):
    with pytest.raises(ValueError, match="explicit permissions"):
        app.token(1, 2, {})


def test_a_token_is_kept_for_the_same_work_and_no_other(github: FakeGitHub, app: Github):
    first = github.get(f"/repos/{github.create_repository('shop')}")["id"]
    second = github.get(f"/repos/{github.create_repository('shed')}")["id"]
    tokens = [
        app.token(github.installation_id, repository, permissions)
        for repository in (first, second, first)
        for permissions in (FOR_CHECKOUT, FOR_PUBLISHING)
    ]
    assert tokens[:2] == tokens[4:]
    assert len(set(tokens)) == len(made(github)) == 4


def test_a_token_is_renewed_five_minutes_before_its_hour_is_over(github: FakeGitHub):
    repository_id = github.get(f"/repos/{github.create_repository('shop')}")["id"]
    later = Later()
    with Github(github.app_id, github.private_key, github.url, clock=Clock(now=later.now)) as app:
        first = app.token(github.installation_id, repository_id, FOR_CHECKOUT)
        later.by = timedelta(seconds=3_600 - RENEW_BEFORE_S - 5)
        assert app.token(github.installation_id, repository_id, FOR_CHECKOUT) == first
        later.by += timedelta(seconds=10)
        assert app.token(github.installation_id, repository_id, FOR_CHECKOUT) != first


def test_a_revoked_token_is_replaced_and_the_work_goes_on(github: FakeGitHub, app: Github):
    full_name = github.create_repository("shop")
    repository_id = github.get(f"/repos/{full_name}")["id"]
    with app.repository(github.installation_id, repository_id, full_name, permissions=FOR_PUBLISHING) as repo:
        assert list(repo.open_pulls()) == []
        for value, token in list(github.state.tokens.items()):
            if token.kind == "installation":
                del github.state.tokens[value]
        assert list(repo.open_pulls()) == []
    assert len(made(github)) == 2


def test_a_permission_nobody_granted_is_told_before_any_work(github: FakeGitHub, app: Github):
    repository_id = github.get(f"/repos/{github.create_repository('shop')}")["id"]
    with pytest.raises(PermissionMissing, match="administration: write"):
        app.token(github.installation_id, repository_id, {"administration": "write"})


def test_a_suspended_installation_is_refused(github: FakeGitHub, app: Github):
    github.create_repository("shop")
    github.state.suspended = True
    with pytest.raises(GithubRefused, match="suspended"):
        app.token(github.installation_id, 1, FOR_CHECKOUT)


def test_a_narrow_token_cannot_do_what_it_was_not_made_for(github: FakeGitHub, app: Github):
    full_name = github.create_repository("shop")
    repository_id = github.get(f"/repos/{full_name}")["id"]
    with (
        app.repository(github.installation_id, repository_id, full_name, permissions=FOR_CHECKOUT) as repo,
        pytest.raises(PermissionMissing, match="pull_requests: read"),
    ):
        list(repo.open_pulls())


@pytest.mark.parametrize("key", ["", "no key", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----"])
def test_a_wrong_key_is_told_at_the_start_and_not_repeated(key: str):
    with pytest.raises(SettingsError, match="private key") as caught:
        Github(1, key, "https://api.github.com")
    assert "AAAA" not in str(caught.value)


def test_nothing_secret_is_in_what_is_shown(github: FakeGitHub, app: Github):
    auth = app._auth(github.installation_id, None, {"metadata": "read"})
    token = auth.token
    shown = f"{auth!r} {auth._kept!r} {app!r} {app._app!r}"
    assert token not in shown
    assert "PRIVATE" not in shown
