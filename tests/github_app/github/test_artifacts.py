"""An artifact is fetched from somebody else's store: without our token, by https, within bounds of size and time."""

from __future__ import annotations

import io
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from github.Auth import Token

from assay.github.client import ACTIONS, Clock, Github, Pace, Repo
from assay.github.client.endpoints.runs import Runs, check_store
from assay.github.client.requester import GithubRequester
from assay.github.errors import ArtifactRefused, GithubRefused, GithubUnavailable, PermissionMissing
from tests.fakes.github import FakeGitHub
from tests.github_app.github.scripted import Reply, Scripted
from tests.repositories import RealRepository

MOST = 1_000
TOKEN = "ghs_a_secret"


@pytest.fixture
def api() -> Iterator[Scripted]:
    """GitHub, as far as the first answer goes."""
    server = Scripted()
    yield server
    server.close()


@pytest.fixture
def store() -> Iterator[Scripted]:
    """Where GitHub sends us."""
    server = Scripted()
    yield server
    server.close()


def fetched(api: str, most: int = MOST, deadline_s: float = 20.0) -> bytes:
    pace = Pace(clock=Clock(sleep=lambda _s: None))
    with closing(GithubRequester(api, Token(TOKEN), pace)) as requester:
        return Runs(requester, "acme/shop", ACTIONS).artifact_archive(7, most, deadline_s)


def sent_to(address: str, status: int = 302) -> Reply:
    return Reply(status, headers={"location": address, "set-cookie": "session=secret; Path=/"})


# ------------------------------------------------------------------ on the fake GitHub


@pytest.fixture
def reader(github: FakeGitHub, repository: RealRepository, app: Github) -> Repo:
    name = github.create_repository("shop")
    repository.commit("Start", {"a.py": "x = 1\n"})
    github.push(repository, "main")
    return app.repository(
        github.installation_id, github.repository_id(), name, permissions={"metadata": "read", "actions": "read"}
    )


def test_an_artifact_of_a_run_is_listed_and_fetched(github: FakeGitHub, reader: Repo, repository: RealRepository):
    run = github.workflow_run(repository.head, {"assay-tools": {"tools.json": "{}"}, "other": {"x": "y"}})
    github.workflow_run(repository.head, {"assay-tools": {"tools.json": "[]"}})
    assert {one.name for one in reader.artifacts(run)} == {"assay-tools", "other"}
    (one,) = reader.artifacts(run, "assay-tools")
    assert (one.run_id, one.is_expired) == (run, False)
    archive = reader.artifact_archive(one.id, 10_000)
    assert len(archive) == one.size_bytes
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.read("tools.json") == b"{}"
    assert github.violations == []  # a token sent to the store would be one


def test_an_artifact_that_expired_is_refused_for_good(github: FakeGitHub, reader: Repo, repository: RealRepository):
    run = github.workflow_run(repository.head)
    number = github.artifact(run, "assay-tools", {"tools.json": "{}"}, expired=True)
    with pytest.raises(GithubRefused) as caught:
        reader.artifact_archive(number, 10_000)
    assert caught.value.status == 410
    (one,) = reader.artifacts(run)
    assert one.is_expired


def test_a_token_without_the_permission_is_told_which_one(github: FakeGitHub, repository: RealRepository, app: Github):
    name = github.create_repository("shop")
    number, one = github.installation_id, {"metadata": "read"}
    with (
        app.repository(number, github.repository_id(), name, permissions=one) as repo,
        pytest.raises(PermissionMissing, match="actions"),
    ):
        repo.artifact_archive(1, 10)


# ------------------------------------------------------------------ the token stays here


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_store_gets_neither_token_nor_cookie(api: Scripted, store: Scripted, status: int):
    api.will(sent_to(f"{store.url}/a?sig=1", status))
    store.will(Reply(raw=b"PK"))
    assert fetched(api.url) == b"PK"
    assert api.asked[0].headers["authorization"] == f"token {TOKEN}"
    (asked,) = store.asked
    assert asked.path == "/a?sig=1"
    assert not asked.headers.keys() & {"authorization", "cookie", "proxy-authorization"}
    assert TOKEN not in str(asked.headers)


def test_the_machines_own_passwords_are_not_sent_either(
    api: Scripted, store: Scripted, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login ada password hunter2\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    api.will(sent_to(f"{store.url}/a"))
    store.will(Reply(raw=b"PK"))
    fetched(api.url)
    assert "authorization" not in store.asked[0].headers


def test_a_redirect_on_the_way_back_to_the_api_carries_no_token(api: Scripted):
    api.will(sent_to(f"{api.url}/elsewhere"), Reply(raw=b"PK"))
    assert fetched(api.url) == b"PK"
    assert "authorization" not in api.asked[1].headers


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "ftp://127.0.0.1/a",
        "gopher://127.0.0.1/a",
        "//",
        "http://",
        "http://user:secret@127.0.0.1/a",
        "http://user@127.0.0.1/a",
        "javascript:alert(1)",
        "data:application/zip;base64,UEs=",
    ],
)
def test_addresses_no_store_has_are_refused(api: Scripted, address: str):
    api.will(sent_to(address))
    with pytest.raises((ArtifactRefused, GithubUnavailable)) as caught:
        fetched(api.url)
    assert "secret" not in str(caught.value)
    assert "passwd" not in str(caught.value)


def test_a_store_in_the_clear_is_refused_where_the_api_is_not():
    check_store("https://store.example.org/a", "https://api.example.org")
    with pytest.raises(ArtifactRefused, match="https"):
        check_store("http://store.example.org/a", "https://api.example.org")


def test_a_store_that_sends_us_on_is_refused(api: Scripted, store: Scripted):
    api.will(sent_to(f"{store.url}/a"))
    store.will(sent_to(f"{store.url}/b"))
    with pytest.raises(ArtifactRefused, match="redirects again"):
        fetched(api.url)
    assert len(store.asked) == 1


# ------------------------------------------------------------------ size and time


def test_what_says_that_it_is_too_large_is_not_read(api: Scripted, store: Scripted):
    api.will(sent_to(f"{store.url}/a"))
    store.will(Reply(raw=b"x" * (MOST + 1)))
    with pytest.raises(ArtifactRefused, match="larger"):
        fetched(api.url)


@contextmanager
def streaming(pieces: Any, headers: dict[str, str]) -> Iterator[str]:
    """A server that sends pieces until the other side hangs up; what it says of their length is the test's business."""
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for piece in pieces():
                    if ended.is_set():
                        return
                    self.wfile.write(piece)
            except OSError:
                return

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # we hang up on it
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/a"
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


def endless() -> Iterator[bytes]:
    while True:
        yield b"x" * 4096


def trickling() -> Iterator[bytes]:
    while True:
        yield b"x"
        time.sleep(0.05)


@pytest.mark.parametrize("headers", [{}, {"content-length": "10"}, {"content-length": "-1"}, {"content-length": "x"}])
def test_a_stream_without_an_end_is_cut_off(api: Scripted, headers: dict[str, str]):
    with streaming(endless, headers) as address:
        api.will(*[sent_to(address)] * 3)
        try:
            found = fetched(api.url)
        except (ArtifactRefused, GithubUnavailable):
            return
        assert len(found) == 10  # as many as were declared, and not one more


def test_a_stream_that_trickles_is_given_up_at_the_deadline(api: Scripted):
    with streaming(trickling, {}) as address:
        api.will(sent_to(address))
        with pytest.raises(GithubUnavailable, match="no answer in time"):
            fetched(api.url, deadline_s=0.5)


def test_what_breaks_off_is_asked_for_again(api: Scripted, store: Scripted):
    api.will(*[sent_to(f"{store.url}/a")] * 2)
    store.will(Reply(raw=b"PK and more", broken="half"), Reply(raw=b"PK and more"))
    assert fetched(api.url) == b"PK and more"


def test_a_packed_answer_is_not_unpacked(api: Scripted, store: Scripted):
    """A store that says `gzip` could make a thousand bytes of one."""
    import gzip

    packed = gzip.compress(b"\0" * 500_000)
    api.will(sent_to(f"{store.url}/a"))
    store.will(Reply(raw=packed, headers={"content-encoding": "gzip"}))
    with pytest.raises(ArtifactRefused, match="compressed"):
        fetched(api.url)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(404, {"message": "Not Found"}), GithubRefused),
        (Reply(410, {"message": "expired"}), GithubRefused),
        (Reply(403, {"message": "Resource not accessible by integration"}), PermissionMissing),
        (Reply(500, raw=b"<html>"), GithubUnavailable),
        (Reply(204, raw=b""), GithubUnavailable),
    ],
)
def test_what_is_no_archive_is_told_apart(api: Scripted, reply: Reply, kind: type[Exception]):
    api.will(*[reply] * 3)
    with pytest.raises(kind):
        fetched(api.url)
