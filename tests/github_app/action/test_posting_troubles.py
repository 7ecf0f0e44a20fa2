"""Posting when something is in the way: no token, no App, a proxy, a redirect, a server that is no App."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.action.environment.job import read_job
from assay.action.handover import upload
from assay.action.handover.upload import PAUSES_S, TOGETHER_S, post_results
from assay.connections.http_client import Failure
from assay.github.errors import PostingFailed
from assay.github.external_results.tools_payload import body_of
from tests.codes import code_of
from tests.github_app.action.jobs import environment
from tests.github_app.action.posting_bed import TOOLS, Runner, Time, nobody_sees_a_token, odd, refusal, runner_in
from tests.ports import free_port

__all__ = ["nobody_sees_a_token"]

HTML = {"content-type": "text/html; charset=utf-8"}
JSON = {"content-type": "application/json"}
KEPT = (200, JSON, json.dumps({"head_sha": "a" * 40, "run_id": 5}).encode())


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    with runner_in(tmp_path) as runner:
        yield runner


# ------------------------------------------------------------------ no token


@pytest.mark.parametrize(("event", "more"), [("pull_request", "forks never get it"), ("push", None)])
def test_a_job_that_may_not_ask_for_a_token_is_told_which_permission_it_lacks(
    runner: Runner, tmp_path: Path, event: str, more: str | None
):
    job = read_job(environment(tmp_path, EVENT=event))
    said = refusal(runner, "https://assay.example.com", job)
    assert "`id-token: write`" in said
    assert (more in said) if more else ("fork" not in said)


def test_a_runner_that_gives_no_token_is_told(runner: Runner):
    runner.server.answers[:] = [(401, JSON, b'{"message": "Bad credentials"}')]
    said = refusal(runner, "https://assay.example.com", runner.job())
    assert code_of(said) == "upload.no-identity-token"
    assert "401" in said


@pytest.mark.parametrize("value", [None, 5, "a.b", "a.b.c\nx-evil: 1", "a.b." + "c" * 20_000])
def test_what_the_runner_gives_must_look_like_a_token(runner: Runner, value: object):
    runner.server.answers[:] = [(200, JSON, json.dumps({"value": value}).encode())]
    assert "upload.no-identity-token" in refusal(runner, "https://assay.example.com", runner.job())


def test_a_service_that_fails_for_a_moment_is_asked_again(runner: Runner):
    runner.server.answers[:0] = [(503, HTML, b""), (502, HTML, b"")]
    with odd(KEPT) as app:
        time = Time()
        assert post_results(app.url, body_of(TOOLS), runner.job(), clock_s=time.clock_s, sleep=time.sleep).run_id == 5
    assert time.slept == [1.0, 2.0]


# ------------------------------------------------------------------ something else answers


def test_an_app_that_is_down_is_waited_for_no_longer_than_a_minute(runner: Runner):
    time = Time()
    url = f"http://127.0.0.1:{free_port()}"
    said = refusal(runner, url, runner.job(), time=time)
    assert code_of(said) == "upload.unreachable"
    assert url in said
    assert said.endswith(Failure.unreachable)
    assert time.slept == [*PAUSES_S, PAUSES_S[-1]]
    assert sum(time.slept) < TOGETHER_S


def test_an_app_that_comes_back_gets_its_results(runner: Runner):
    with odd((502, HTML, b"<html>"), (429, {"retry-after": "20"}, b""), (503, JSON, b"{}"), KEPT) as app:
        time = Time()
        answer = post_results(app.url, body_of(TOOLS), runner.job(), clock_s=time.clock_s, sleep=time.sleep)
    assert (answer.run_id, time.slept) == (5, [1.0, 20.0, 4.0])
    assert {body for _, _, body in app.got} == {body_of(TOOLS)}


@pytest.mark.parametrize("wait", ["61", "999999999999", "-5", "soon", "1e9", "٣"])
def test_a_wait_of_more_than_a_minute_is_not_waited_for(runner: Runner, wait: str):
    refused = json.dumps({"refused": "the database is not available"}).encode()
    with odd((503, JSON | {"retry-after": wait.encode().decode("latin-1")}, refused)) as app:
        time = Time()
        said = refusal(runner, app.url, runner.job(), time=time)
    assert said == "the App cannot store the results now: the database is not available; run the job again later"
    assert sum(time.slept) < TOGETHER_S


@pytest.mark.parametrize("status", [200, 401, 403, 404, 422])
def test_a_page_for_people_is_no_answer_of_the_app(runner: Runner, status: int):
    with odd((status, HTML, b"<html>Sign in\x1b[31m ::error::x</html>")) as app:
        said = refusal(runner, app.url, runner.job())
    assert said.startswith(f"upload.not-an-app: the server at {app.url} ")
    assert f"({status}, text/html)" in said


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b"{",
        b"[" * 60_000,
        b'{"head_sha": "x", "run_id": 5}',
        b'{"head_sha": "%s", "run_id": true}' % (b"a" * 40),
    ],
)
def test_json_of_another_shape_is_no_answer_of_the_app(runner: Runner, body: bytes):
    with odd((200, JSON, body)) as app:
        assert "(200, application/json)" in refusal(runner, app.url, runner.job())


def test_a_server_in_front_that_takes_less_is_named(runner: Runner):
    with odd((413, HTML, b"<html>")) as app:
        said = refusal(runner, app.url, runner.job())
    assert "exceed the limit of a server in front of the App; raise it to 4 MiB" in said


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed_with_the_token(runner: Runner, status: int):
    with odd(KEPT) as other, odd((status, {"location": f"{other.url}/api/v1/results"}, b"")) as app:
        said = refusal(runner, app.url, runner.job())
    assert other.got == []
    assert code_of(said) == "upload.redirected"
    assert said.endswith(other.url)


@pytest.mark.parametrize("place", ["", "//", "http://[", "https://a\x1b[0m/", "https://user:pass@h/", "javascript:x"])
def test_a_redirect_to_nonsense_is_not_repeated(runner: Runner, place: str):
    with odd((302, {"location": place}, b"")) as app:
        assert code_of(refusal(runner, app.url, runner.job())) == "upload.redirected"


def test_words_of_the_other_side_are_one_short_printable_line(runner: Runner):
    words = json.dumps({"refused": "a\n::error::b\x1b[31m" + "x" * 10_000}).encode()
    with odd((422, JSON, words)) as app:
        said = refusal(runner, app.url, runner.job())
    assert code_of(said) == "upload.refused"
    assert "(422): a ::error::b [31mxxx" in said
    assert len(said) < 300


def test_an_endless_answer_is_not_read_to_its_end(runner: Runner):
    with odd((200, JSON | {"content-length": "10000000"}, b" " * 10_000_000)) as app:
        assert Failure.too_large in refusal(runner, app.url, runner.job())


@pytest.mark.system
def test_a_server_that_trickles_is_given_up(runner: Runner, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(upload, "TOGETHER_S", 1.0)
    with odd((200, JSON, b" " * 100), pause_s=0.1) as app, pytest.raises(PostingFailed, match=Failure.timed_out):
        post_results(app.url, body_of(TOOLS), runner.job())


def test_no_credential_goes_out_in_clear(runner: Runner):
    assert "upload.needs-https" in refusal(runner, "http://assay.example.com", runner.job())
    job = dataclasses.replace(runner.job(), identity_url="http://runner.example")
    assert "is not https://" in refusal(runner, "https://assay.example.com", job)
