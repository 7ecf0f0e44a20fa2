"""One request with a credential: where it may go, what may come back, and what is said when it goes wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import requests

from assay.action.handover.authenticated_request import ask, is_safe
from tests.github_app.action.posting_bed import odd


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("https://assay.example.com", True),
        ("https://assay.example.com:8443/behind", True),
        ("http://127.0.0.1:8080", True),
        ("http://127.9.9.9", True),
        ("http://[::1]:8080", True),
        ("http://localhost:1", True),
        ("http://assay.example.com", False),
        ("http://127.0.0.1.evil.example", False),
        ("http://localhost.evil.example", False),
        ("https://user:word@assay.example.com", False),
        ("https://", False),
        ("https://a:port", False),
        ("ftp://127.0.0.1", False),
        ("https://a b", False),
        ("https://a\nb", False),
        ("", False),
    ],
)
def test_a_credential_goes_out_by_https_or_to_this_machine(address: str, safe: bool):
    assert is_safe(address) is safe


def test_the_credential_is_sent_as_it_is_and_the_answer_read():
    with odd((201, {"content-type": "application/json", "X-More": "yes"}, b"{}")) as server:
        answer = ask("POST", server.url, "secret", within_s=5, body=b"results")
    assert server.got == [("POST", "Bearer secret", b"results")]
    assert (answer.status, answer.body, answer.header("x-more"), answer.trouble) == (201, b"{}", "yes", "")


def test_a_netrc_of_the_machine_does_not_replace_the_credential(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login a password stolen\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with odd((200, {}, b"")) as server:
        ask("GET", server.url, "secret", within_s=5)
    assert [sent for _, sent, _ in server.got] == ["Bearer secret"]


def test_a_server_that_trickles_is_given_up_in_the_given_time():
    with odd((200, {}, b" " * 100), pause_s=0.1) as server:
        answer = ask("GET", server.url, "secret", within_s=0.5)
    assert (answer.status, answer.trouble, answer.may_pass) == (0, "no answer in time", True)


def test_an_answer_that_breaks_off_may_be_whole_another_time():
    with odd((200, {"content-length": "100"}, b"half")) as server:
        answer = ask("GET", server.url, "secret", within_s=5)
    assert (answer.status, answer.may_pass) == (0, True)


@pytest.mark.parametrize(
    ("error", "trouble", "may_pass"),
    [
        (requests.exceptions.SSLError, "its certificate is not one this machine trusts", False),
        (requests.exceptions.ProxyError, "the proxy of this machine does not let it through", True),
        (requests.exceptions.ConnectTimeout, "no answer in time", True),
        (requests.exceptions.ReadTimeout, "no answer in time", True),
        (requests.exceptions.ConnectionError, "no connection", True),
        (requests.exceptions.ChunkedEncodingError, "the connection was closed", True),
    ],
)
def test_what_the_library_says_of_an_error_is_not_passed_on(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception], trouble: str, may_pass: bool
):
    def fails(*_: Any, **__: Any) -> None:
        raise error("Bearer secret")

    monkeypatch.setattr(requests.Session, "request", fails)
    answer = ask("POST", "https://assay.example.com", "secret", within_s=5)
    assert (answer.trouble, answer.may_pass) == (trouble, may_pass)
    assert "secret" not in repr(answer)
