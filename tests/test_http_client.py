"""The client for services that are not trusted: limits, failures, and where a credential may go."""

from __future__ import annotations

import ssl
from pathlib import Path

import httpx2
import pytest

from assay.connections.addresses import is_confidential
from assay.connections.http_client import Failure, HttpClient, HttpFailed, Reply
from tests.github_app.action.posting_bed import odd


def ask(url: str, *, within_s: float = 5, most_bytes: int = 1000, content: bytes | None = None) -> Reply:
    headers = {"authorization": "Bearer secret"}
    with HttpClient() as client:
        return client.request(
            "POST" if content else "GET",
            url,
            within_s=within_s,
            most_bytes=most_bytes,
            headers=headers,
            content=content,
        )


def failure_of(url: str, **more: float) -> Failure:
    with pytest.raises(HttpFailed) as caught:
        ask(url, **more)  # type: ignore[arg-type]
    assert "secret" not in repr(caught.value)
    assert url not in str(caught.value)
    return caught.value.failure


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
def test_a_credential_is_sent_by_https_or_to_this_machine(address: str, safe: bool):
    assert is_confidential(address) is safe


def test_a_response_of_any_status_is_returned():
    with odd((201, {"content-type": "application/json", "X-More": "yes"}, b"{}")) as server:
        reply = ask(server.url, content=b"results")
    assert server.got == [("POST", "Bearer secret", b"results")]
    assert (reply.status, reply.body, reply.header("x-more"), reply.header("none")) == (201, b"{}", "yes", "")


def test_a_redirect_is_returned_and_not_followed():
    with odd((302, {"location": "http://127.0.0.1:1/"}, b"")) as server:
        reply = ask(server.url)
    assert (reply.status, reply.header("location")) == (302, "http://127.0.0.1:1/")


def test_a_netrc_of_the_machine_does_not_replace_the_credential(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login a password stolen\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with odd((200, {}, b"")) as server:
        ask(server.url)
    assert [sent for _, sent, _ in server.got] == ["Bearer secret"]


def test_a_trickling_server_ends_at_the_deadline():
    with odd((200, {}, b" " * 100), pause_s=0.1) as server:
        assert failure_of(server.url, within_s=0.5) is Failure.timed_out


@pytest.mark.parametrize(
    ("headers", "body", "failure"),
    [
        ({"content-length": "100"}, b"half", Failure.broken),
        ({}, b"x" * 1001, Failure.too_large),
        ({"content-length": "2000"}, b"", Failure.too_large),
        ({"content-encoding": "gzip"}, b"", Failure.compressed),
    ],
)
def test_an_unusable_response_is_a_failure(headers: dict[str, str], body: bytes, failure: Failure):
    with odd((200, headers, body)) as server:
        assert failure_of(server.url) is failure


def test_a_closed_port_is_unreachable():
    with odd((200, {}, b"")) as server:
        url = server.url
    assert failure_of(url) is Failure.unreachable


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "http://\ud800/"])
def test_an_invalid_url_is_a_failure(url: str):
    assert failure_of(url) is Failure.invalid


@pytest.mark.parametrize(
    ("error", "cause", "failure", "may_pass"),
    [
        (httpx2.ConnectError, ssl.SSLError, Failure.untrusted, False),
        (httpx2.ConnectError, OSError, Failure.unreachable, True),
        (httpx2.ProxyError, OSError, Failure.proxy, True),
        (httpx2.ConnectTimeout, OSError, Failure.connect_timed_out, True),
        (httpx2.ReadTimeout, OSError, Failure.timed_out, True),
        (httpx2.RemoteProtocolError, OSError, Failure.broken, True),
    ],
)
def test_the_text_of_the_librarys_error_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
    error: type[Exception],
    cause: type[Exception],
    failure: Failure,
    may_pass: bool,
):
    def fails(*_: object, **__: object) -> None:
        raise error("Bearer secret") from cause("secret")

    monkeypatch.setattr(httpx2.Client, "stream", fails)
    assert failure_of("https://assay.example.com") is failure
    assert failure.may_pass is may_pass


def test_certificates_of_the_environment_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    bundle = tmp_path / "bundle.pem"
    bundle.write_text("no certificate")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(bundle))
    with pytest.raises(HttpFailed) as caught:
        HttpClient()
    assert caught.value.failure is Failure.no_certificates


def test_a_mistake_of_the_caller_is_no_failure_of_the_connection():
    with odd((200, {}, b"")) as server, HttpClient() as client, pytest.raises(TypeError):
        client.request("POST", server.url, within_s=5, most_bytes=10, json=object())
