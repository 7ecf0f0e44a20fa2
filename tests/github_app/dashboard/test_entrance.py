"""The operator's link: what it opens, and how often."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.github_app.dashboard.entrance import LINK_LIFETIME_S, Entrance


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
    assert entrance.let_in(token)
    assert not entrance.let_in(token)


def test_another_process_with_the_same_secret_takes_the_link():
    assert Entrance("secret").let_in(token_of(Entrance("secret")))
    assert not Entrance("other").let_in(token_of(Entrance("secret")))


def test_a_link_lets_in_once_over_all_servers_and_after_a_restart():
    seen: set[str] = set()

    def once(number: str) -> bool:
        is_new = number not in seen
        seen.add(number)
        return is_new

    token = token_of(Entrance("secret"))
    assert Entrance("secret", once=once).let_in(token)
    assert not Entrance("secret", once=once).let_in(token)
    assert not Entrance("secret", once=once).let_in("1.forged." + "0" * 64)
    assert len(seen) == 1, "a forged link is not written down"


def test_without_a_secret_nobody_gets_in():
    """An empty variable is an easy mistake, and would make everybody able to sign."""
    assert not Entrance("").let_in(token_of(Entrance("")))


def test_links_expire():
    clock = Time()
    entrance = Entrance("secret", clock)
    late = token_of(entrance)
    clock.now += LINK_LIFETIME_S
    assert not entrance.let_in(late)


@pytest.mark.parametrize("place", [0, 5, -1])
def test_a_changed_link_lets_nobody_in(place: int):
    entrance = Entrance("secret")
    token = list(token_of(entrance))
    token[place] = "0" if token[place] != "0" else "1"
    assert not entrance.let_in("".join(token))


@given(st.text())
def test_nothing_made_up_lets_anybody_in(text: str):
    assert not Entrance("secret").let_in(text)
