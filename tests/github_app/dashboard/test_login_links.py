"""The operator's link: what it opens, and how often."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github_app.web.dashboard.access.login_links import LINK_LIFETIME_S, LoginLinks


class Time:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def token_of(login_links: LoginLinks) -> str:
    return parse_qs(urlsplit(login_links.link("http://127.0.0.1:8080")).query)["token"][0]


def test_a_link_lets_in_once():
    login_links = LoginLinks("secret")
    token = token_of(login_links)
    assert login_links.accepts(token)
    assert not login_links.accepts(token)


def test_another_process_with_the_same_secret_takes_the_link():
    assert LoginLinks("secret").accepts(token_of(LoginLinks("secret")))
    assert not LoginLinks("other").accepts(token_of(LoginLinks("secret")))


def test_a_link_lets_in_once_over_all_servers_and_after_a_restart():
    seen: set[str] = set()

    def once(number: str) -> bool:
        is_new = number not in seen
        seen.add(number)
        return is_new

    token = token_of(LoginLinks("secret"))
    assert LoginLinks("secret", once=once).accepts(token)
    assert not LoginLinks("secret", once=once).accepts(token)
    assert not LoginLinks("secret", once=once).accepts("1.forged." + "0" * 64)
    assert len(seen) == 1, "a forged link is not written down"


def test_without_a_secret_nobody_gets_in():
    """An empty variable is an easy mistake, and would make everybody able to sign."""
    assert not LoginLinks("").accepts(token_of(LoginLinks("")))


def test_links_expire():
    clock = Time()
    login_links = LoginLinks("secret", clock)
    late = token_of(login_links)
    clock.now += LINK_LIFETIME_S
    assert not login_links.accepts(late)


@pytest.mark.parametrize("place", [0, 5, -1])
def test_a_changed_link_lets_nobody_in(place: int):
    login_links = LoginLinks("secret")
    token = list(token_of(login_links))
    token[place] = "0" if token[place] != "0" else "1"
    assert not login_links.accepts("".join(token))


@given(st.text())
def test_nothing_made_up_lets_anybody_in(text: str):
    assert not LoginLinks("secret").accepts(text)
