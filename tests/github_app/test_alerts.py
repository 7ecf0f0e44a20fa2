"""Telling people elsewhere about critical risk: once, harmlessly, and without giving away an address."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import SecretStr

from assay.github_app.ops.alerts import PAUSES_S, Subject, addresses_in, alert_if_critical, plain
from assay.github_app.store import Store
from assay.validators import ValidationReport
from tests.github_app.publish.reports import HEAD, fine
from tests.github_app.receiver import Receiver
from tests.github_app.rooms import critical

# Apprise looks for a module of the standard library that Python 3.13 no longer has.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")

AT = datetime(2026, 1, 2, tzinfo=UTC)
SUBJECT = Subject(1, "acme/shop", 7, "A change", "ada", "https://github.example/acme/shop/pull/7")


def told(store: Store) -> list[tuple[str, dict[str, Any]]]:
    return [(event.kind, dict(event.data)) for event in store.events.of(1, 7)]


def alert(store: Store, *addresses: str, report: ValidationReport | None = None, slept: list[float] | None = None):
    sleep = (slept if slept is not None else []).append
    return alert_if_critical(store, report or critical(HEAD), SUBJECT, addresses, AT, sleep)


def test_a_critical_head_is_told_once_with_what_makes_it_so(store: Store, receiver: Receiver):
    (sent,) = alert(store, receiver.address)
    assert (sent.is_sent, sent.kind, sent.num_tries) == (True, "json", 1)
    assert alert(store, receiver.address) == ()
    (message,) = receiver.got
    assert message["title"] == "Critical risk: acme/shop#7"
    assert message["message"].splitlines() == [
        f"A change (by ada, commit {HEAD[:12]})",
        "set by impact (Destructive migration, Public API broken)",
        "- Destructive migration: drops the column 'users.email'",
        "- Public API broken: removes 'send'",
        "approval required",
        "",
        SUBJECT.url,
    ]


def test_another_head_is_told_again_and_a_lesser_risk_not(store: Store, receiver: Receiver):
    alert(store, receiver.address)
    alert(store, receiver.address, report=critical("9" * 40))
    alert(store, receiver.address, report=fine("8" * 40))
    assert len(receiver.got) == 2


def test_without_addresses_nothing_is_claimed_to_be_told(store: Store, receiver: Receiver):
    assert alert(store) == ()
    assert len(alert(store, receiver.address)) == 1


def test_a_failing_channel_is_tried_again(store: Store, receiver: Receiver):
    receiver.refusals = 2
    slept: list[float] = []
    (sent,) = alert(store, receiver.address, slept=slept)
    assert (sent.is_sent, sent.num_tries) == (True, 3)
    assert slept == [*PAUSES_S]


def test_a_channel_that_keeps_failing_is_written_down_and_stops_nobody(store: Store, receiver: Receiver):
    bad = ["json://user:s3cr3t-word@127.0.0.1:1/x", "nosuch://s3cr3t-word", "s3cr3t-word", "slack://a/b", "://["]
    sent = alert(store, *bad, receiver.address)
    assert [one.is_sent for one in sent] == [False] * len(bad) + [True]
    assert [kind for kind, _ in told(store)] == ["alert_failed"] * len(bad) + ["alert_sent"]
    assert len(receiver.got) == 1
    assert "s3cr3t" not in json.dumps(told(store))


def test_where_nobody_could_be_told_one_more_round_is_allowed_and_no_more(store: Store, receiver: Receiver):
    receiver.refusals = 6
    assert alert(store, receiver.address)[0].is_sent is False
    assert alert(store, receiver.address)[0].is_sent is False
    assert alert(store, receiver.address) == ()
    assert receiver.got == []


def test_no_log_line_holds_an_address_or_a_secret_of_it(
    store: Store, receiver: Receiver, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
):
    receiver.refusals = 2
    with caplog.at_level(logging.DEBUG):
        for name in ("apprise", "urllib3", "urllib3.connectionpool", "requests"):
            logging.getLogger(name).setLevel(logging.DEBUG)
        alert(store, receiver.address, "json://user:pa55w0rd-of-ops@127.0.0.1:1/T0KEN-in-path", "odd://T0KEN-in-path")
    assert "/T0KEN-in-path" in receiver.paths[0]
    output = capfd.readouterr()
    written = caplog.text + output.out + output.err
    assert "pa55w0rd" not in written
    assert "T0KEN" not in written
    assert "alert channel 1 (json): attempt 1 failed" in written


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@everyone look", "(at)everyone look"),
        ("<!channel> <@U123>", "(!channel) ((at)U123)"),
        ("[click](https://evil.example)", "(click)(https:/ /evil.example)"),
        ("www.evil.example", "www evil.example"),
        ("two\nlines\x1b[31m\u202e\x07", "two lines\\u202e\\x07"),
        ("<b>bold</b> `code`", "(b)bold(/b) 'code'"),
    ],
)
def test_a_strangers_words_do_nothing_in_a_chat(text: str, shown: str):
    assert plain(text, 200) == shown


def test_addresses_stand_one_a_line():
    assert addresses_in(SecretStr("\n# ops\njson://a\n\n  slack://b/c/d  \n")) == ("json://a", "slack://b/c/d")
    assert addresses_in(None) == ()
