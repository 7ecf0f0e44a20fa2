"""Who gets in, and how often."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github_app.dashboard.entrance import LINK_LIFETIME_S, SESSION_LIFETIME_S, Entrance


class Time:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def token_of(entrance: Entrance) -> str:
    return parse_qs(urlsplit(entrance.link("http://127.0.0.1:8080")).query)["token"][0]


def test_a_link_lets_in_once():
    entrance = Entrance("secret")
    token = token_of(entrance)
    cookie = entrance.let_in(token)
    assert entrance.knows(cookie)
    assert entrance.let_in(token) is None


def test_another_process_with_the_same_secret_takes_the_link_and_the_cookie():
    cookie = Entrance("secret").let_in(token_of(Entrance("secret")))
    assert Entrance("secret").knows(cookie)
    assert not Entrance("other").knows(cookie)


def test_a_link_lets_in_once_over_all_servers_and_after_a_restart():
    seen: set[str] = set()

    def once(number: str) -> bool:
        is_new = number not in seen
        seen.add(number)
        return is_new

    token = token_of(Entrance("secret"))
    assert Entrance("secret", once=once).let_in(token) is not None
    assert Entrance("secret", once=once).let_in(token) is None
    assert Entrance("secret", once=once).let_in("1.forged." + "0" * 64) is None
    assert len(seen) == 1, "a forged link is not written down"


def test_without_a_secret_nobody_gets_in():
    """An empty variable is an easy mistake, and would make everybody able to sign."""
    forger = Entrance("")
    cookie = forger.let_in(token_of(forger))
    assert not Entrance("").knows(cookie)
    assert Entrance("").let_in(token_of(forger)) is None


def test_links_and_cookies_expire():
    clock = Time()
    entrance = Entrance("secret", clock)
    late, token = token_of(entrance), token_of(entrance)
    cookie = entrance.let_in(token)
    clock.now += LINK_LIFETIME_S
    assert entrance.let_in(late) is None
    clock.now += SESSION_LIFETIME_S - LINK_LIFETIME_S
    assert not entrance.knows(cookie)


def test_a_link_is_no_cookie_and_a_cookie_no_link():
    entrance = Entrance("secret")
    token = token_of(entrance)
    assert not entrance.knows(token)
    cookie = entrance.let_in(token)
    assert cookie is not None
    assert entrance.let_in(cookie) is None


@pytest.mark.parametrize("place", [0, 5, -1])
def test_a_changed_link_lets_nobody_in(place: int):
    entrance = Entrance("secret")
    token = list(token_of(entrance))
    token[place] = "0" if token[place] != "0" else "1"
    assert entrance.let_in("".join(token)) is None


@given(st.text())
def test_nothing_made_up_lets_anybody_in(text: str):
    entrance = Entrance("secret")
    assert entrance.let_in(text) is None
    assert not entrance.knows(text)
