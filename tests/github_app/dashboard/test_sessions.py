"""Sessions: what a person may see lasts as long as GitHub says so, and no number of theirs is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from assay.github.client import Account, Permission, UserToken
from assay.github.errors import GithubRefused, GithubUnavailable
from assay.github_app.store import Store
from assay.github_app.web.dashboard.access.sessions import (
    FRESH_S,
    PERSON_LIFETIME_S,
    SESSION_LIFETIME_S,
    STALE_S,
    NotNow,
    Sessions,
)

BEGAN = datetime(2026, 11, 1, tzinfo=UTC)
TOKEN = UserToken("ghu_the token itself", None)


class Clock:
    """A time that is set by hand."""

    def __init__(self) -> None:
        self.now = BEGAN

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


class GithubOfAda:
    """Signs Ada in, and says what she may read; `trouble` is raised in place of that."""

    def __init__(self) -> None:
        self.rights = {11: Permission.maintain, 12: Permission.read}
        self.trouble: Exception | None = None
        self.asked: list[str] = []
        self.given_back: list[str] = []

    def account(self, token: str) -> Account:
        return Account(5, "ada")

    def readable(self, token: str) -> dict[int, Permission]:
        self.asked.append(token)
        if self.trouble is not None:
            raise self.trouble
        return dict(self.rights)

    def give_back(self, token: str) -> None:
        self.given_back.append(token)
        if self.trouble is not None:
            raise self.trouble


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def github() -> GithubOfAda:
    return GithubOfAda()


@pytest.fixture
def make(store: Store, clock: Clock, github: GithubOfAda) -> Callable[..., Sessions]:
    def sessions(secret: str = "secret", signs_in: Any = github) -> Sessions:
        return Sessions(store, secret, signs_in, clock)

    return sessions


def test_a_person_sees_what_github_says_and_nothing_else(make: Callable[..., Sessions]):
    sessions = make()
    viewer = sessions.viewer(sessions.begin(TOKEN))
    assert viewer is not None
    assert (viewer.name, viewer.is_operator) == ("ada", False)
    assert set(viewer.permissions or ()) == {11, 12}
    assert [viewer.may_decide(one) for one in (11, 12, 13)] == [True, False, False]


def test_the_operator_sees_everything_for_a_day(make: Callable[..., Sessions], clock: Clock, github: GithubOfAda):
    sessions = make()
    cookie = sessions.begin_as_operator()
    viewer = sessions.viewer(cookie)
    assert viewer is not None
    assert viewer.is_operator
    assert viewer.permissions is None
    assert viewer.may_decide(13)
    clock.advance(SESSION_LIFETIME_S)
    assert sessions.viewer(cookie) is None
    assert github.asked == []


def test_rights_are_asked_for_anew_and_no_oftener_than_needed(
    make: Callable[..., Sessions], clock: Clock, github: GithubOfAda
):
    sessions = make()
    cookie = sessions.begin(TOKEN)
    clock.advance(FRESH_S)
    sessions.viewer(cookie)
    assert len(github.asked) == 1
    github.rights = {12: Permission.read}
    clock.advance(1)
    for _ in range(3):
        viewer = make().viewer(cookie)
        assert viewer is not None
        assert viewer.permissions is not None
        assert 11 not in viewer.permissions
    assert github.asked == [TOKEN.value] * 2


def test_a_token_that_was_taken_back_ends_the_session(make: Callable[..., Sessions], clock: Clock, github: GithubOfAda):
    sessions = make()
    cookie = sessions.begin(TOKEN)
    clock.advance(FRESH_S + 1)
    github.trouble = GithubRefused(401, "list", "the credentials were not accepted")
    assert sessions.viewer(cookie) is None
    github.trouble = None
    assert sessions.viewer(cookie) is None


def test_while_github_is_away_its_last_word_counts_for_half_an_hour(
    make: Callable[..., Sessions], clock: Clock, github: GithubOfAda
):
    sessions = make()
    cookie = sessions.begin(TOKEN)
    github.trouble = GithubUnavailable("list", "it answered 502")
    clock.advance(STALE_S)
    assert sessions.viewer(cookie) is not None
    clock.advance(1)
    with pytest.raises(NotNow):
        sessions.viewer(cookie)
    github.trouble = None
    assert sessions.viewer(cookie) is not None


@pytest.mark.parametrize("lifetime_s", [None, 600, 10 * PERSON_LIFETIME_S])
def test_a_session_lives_no_longer_than_its_token(lifetime_s: int | None, make: Callable[..., Sessions], clock: Clock):
    sessions = make()
    expires_at = None if lifetime_s is None else BEGAN + timedelta(seconds=lifetime_s)
    cookie = sessions.begin(UserToken(TOKEN.value, expires_at))
    clock.advance(min(lifetime_s or PERSON_LIFETIME_S, PERSON_LIFETIME_S) - 1)
    assert sessions.viewer(cookie) is not None
    clock.advance(1)
    assert sessions.viewer(cookie) is None


def test_signing_out_ends_the_session_everywhere_and_gives_the_token_back(
    make: Callable[..., Sessions], github: GithubOfAda
):
    sessions = make()
    cookie = sessions.begin(TOKEN)
    sessions.end(cookie)
    assert make().viewer(cookie) is None
    assert github.given_back == [TOKEN.value]
    sessions.end(cookie)


def test_a_sign_out_that_github_does_not_hear_of_is_one_all_the_same(
    make: Callable[..., Sessions], github: GithubOfAda, caplog: pytest.LogCaptureFixture
):
    sessions = make()
    cookie = sessions.begin(TOKEN)
    github.trouble = GithubUnavailable("give back", "no answer")
    sessions.end(cookie)
    assert sessions.viewer(cookie) is None
    assert "stays valid until it expires" in caplog.text
    assert TOKEN.value not in caplog.text


def test_neither_the_database_nor_another_secret_gives_anybody_the_token(
    make: Callable[..., Sessions], store: Store, clock: Clock, github: GithubOfAda
):
    sessions = make()
    cookie = sessions.begin(TOKEN)
    row = store.sessions.get(store_key(cookie), clock())
    assert row is not None
    assert cookie not in repr(row)
    assert TOKEN.value not in repr(row)
    clock.advance(FRESH_S + 1)
    # A server with another secret can not unseal it, so it cannot ask, so nobody is let in.
    assert make("another secret").viewer(cookie) is None
    assert github.asked == [TOKEN.value]


def store_key(cookie: str) -> str:
    return hashlib.sha256(cookie.encode()).hexdigest()


@pytest.mark.parametrize("cookie", [None, "", "x", "x" * 43, "é" * 43, "\0" * 43, "x" * 5000])
def test_a_made_up_cookie_is_nobody(cookie: str | None, make: Callable[..., Sessions]):
    assert make().viewer(cookie) is None


def test_a_form_belongs_to_one_session_of_one_app(make: Callable[..., Sessions]):
    sessions = make()
    mine, other = sessions.begin(TOKEN), sessions.begin(TOKEN)
    token = sessions.form_token(mine)
    assert make().is_form_of(mine, token)
    assert not sessions.is_form_of(other, token)
    assert not make("another secret").is_form_of(mine, token)
    assert not sessions.is_form_of(mine, "é")


def test_sessions_that_are_over_are_forgotten(make: Callable[..., Sessions], store: Store, clock: Clock):
    sessions = make()
    first = sessions.begin_as_operator()
    clock.advance(SESSION_LIFETIME_S + 1)
    sessions.begin_as_operator()
    assert store.sessions.get(store_key(first), BEGAN) is None


def test_nobody_signs_in_where_no_client_is_set(make: Callable[..., Sessions]):
    with pytest.raises(GithubRefused):
        make(signs_in=None).begin(TOKEN)


def test_nothing_says_a_token_aloud(make: Callable[..., Sessions]):
    assert TOKEN.value not in repr(TOKEN)
    assert repr(make()) == "Sessions()"
