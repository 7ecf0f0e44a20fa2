"""Results posted to the App: believed and shown by the real one, and every refusal is one line that says what to do."""

from __future__ import annotations

import dataclasses
import json
import logging
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.github_app.action import posting
from assay.github_app.action.job import Job, read_job
from assay.github_app.action.posting import PAUSES_S, TOGETHER_S, PostedAnswer, post_results
from assay.github_app.errors import PostingFailed
from assay.github_app.posted_tools import MOST_BODY_BYTES, body_of
from tests.fakes.github import FakeGitHub
from tests.github_app.action.jobs import environment
from tests.github_app.action.posting_bed import SECOND, TOOLS, TRUSTED, WORKFLOW, Door, Time, door_of, job_of, odd
from tests.github_app.action.posting_bed import installed_on as installed
from tests.github_app.processes import AppProcess, environment_for, free_port, wait_ready
from tests.repositories import RealRepository

HTML = {"content-type": "text/html; charset=utf-8"}
JSON = {"content-type": "application/json"}
KEPT = (200, JSON, json.dumps({"head_sha": "a" * 40, "run_id": 5}).encode())


@dataclasses.dataclass
class Shop:
    """A repository with one pull request and a run of its workflow."""

    github: FakeGitHub
    folder: Path
    head: str
    number: int
    run_id: int

    def job(self, workflow: str = TRUSTED, **claims: Any) -> Job:
        return job_of(self.github, self.folder, self.run_id, workflow, **claims)

    def secrets(self) -> list[str]:
        """Everything that nobody may see: what jobs asked with, and every token they got."""
        answers = [one.answer for one in self.github.requests if one.path.endswith("/token/request")]
        return [*self.github.state.jobs, *(one["value"] for one in answers if one and "value" in one)]


@pytest.fixture
def shop(github: FakeGitHub, repository: RealRepository, tmp_path: Path) -> Shop:
    github.create_repository("shop")
    repository.commit("Start", {"app.py": "x = 1\n"})
    github.push(repository, "main")
    repository.branch("change")
    head = repository.commit("Change", {"app.py": "x = 2\n"})
    github.push(repository, "change")
    return Shop(github, tmp_path, head, github.open_pull("change"), github.workflow_run(head))


@pytest.fixture
def door(shop: Shop) -> Iterator[Door]:
    with door_of(shop.github, shop.folder, trusted=(TRUSTED, SECOND)) as door:
        installed(door, shop.github, datetime.now(UTC))
        yield door


@pytest.fixture(autouse=True)
def nobody_sees_a_token(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture, capfd) -> Iterator[None]:
    """Whatever a test does, no token is in what was printed or logged, down to what the libraries say to themselves."""
    shop: Shop | None = request.getfixturevalue("shop") if "shop" in request.fixturenames else None
    caplog.set_level(logging.DEBUG)
    yield
    out, err = capfd.readouterr()
    for secret in shop.secrets() if shop else ():
        assert secret not in out + err + caplog.text


def refusal(shop: Shop, url: str, job: Job, body: bytes | None = None, time: Time | None = None) -> str:
    """The one line with which posting fails, in which there is no token, nor in anything that hangs on it."""
    time = time or Time()
    with pytest.raises(PostingFailed) as failed:
        post_results(url, body or body_of(TOOLS, job="tools"), job, clock_s=time.clock_s, sleep=time.sleep)
    said = str(failed.value)
    assert len(said.splitlines()) == 1
    assert said.isprintable()
    everything = "".join(traceback.format_exception(failed.value)) + repr(failed.value.__context__) + repr(job)
    for secret in shop.secrets():
        assert secret not in everything
    return said


# ------------------------------------------------------------------ the App believes


def test_results_are_kept_for_the_head_and_the_same_twice_count_once(shop: Shop, door: Door):
    job, body = shop.job(), body_of(TOOLS, job="tools")
    answers = [post_results(door.url, body, job) for _ in range(2)]
    assert answers == [PostedAnswer(shop.head, shop.run_id)] * 2
    (row,) = door.store.checks.results_of(job.repository_id, shop.head)
    assert (row.job, row.workflow_ref) == ("tools", TRUSTED)


def test_a_slash_at_the_end_of_the_address_makes_no_other_audience(shop: Shop, door: Door):
    assert post_results(f"{door.url}/", body_of(TOOLS), shop.job()).head_sha == shop.head


def test_a_second_stage_posts_for_the_run_it_names(shop: Shop, door: Door):
    second = shop.github.workflow_run(shop.head, event="workflow_run", name="report")
    job = job_of(shop.github, shop.folder, second, SECOND)
    answer = post_results(door.url, body_of(TOOLS, job="tools", run_id=shop.run_id), job)
    assert answer == PostedAnswer(shop.head, shop.run_id)
    assert refusal(shop, door.url, job) == (
        "the App refuses the results (422): say in `run_id` which run's results these are"
    )


@pytest.mark.timeout(300)
def test_the_app_as_it_is_run_shows_them_in_its_check_run(shop: Shop, repository: RealRepository):
    github = shop.github
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    told = {"public_url": address, "oidc_issuer": github.oidc_issuer, "trusted_workflows": TRUSTED}
    surroundings = environment_for(github, shop.folder / "data", port=port, **told)
    process = AppProcess("serve", surroundings, shop.folder / "app.log")
    process.start()
    try:
        github.deliver_to(f"{wait_ready(surroundings, process)}/webhooks/github")
        shop.head = repository.commit("Another", {"app.py": "x = 3\n"})
        # The job that posts has a check of its own, which fails with it; another one is only told of by its check.
        github.push(repository, "change")
        github.check(shop.head, "assay / tools", "failure")
        github.check(shop.head, "lint", "success")
        shop.run_id = github.workflow_run(shop.head)

        def told_by() -> str:
            runs = github.check_runs(shop.head, name="Assay")
            return f"{runs[0]['output']['summary']}\n{runs[0]['output']['text']}" if runs else ""

        github.wait(lambda: "the repository's own checks" in told_by(), timeout_s=60)
        assert "assay / tools" in told_by(), "before anything was posted, its check is all that is known"
        assert post_results(address, body_of(TOOLS, job="tools"), shop.job()).head_sha == shop.head
        github.wait(lambda: "the change's own workflow run" in told_by(), timeout_s=60)
        github.wait(lambda: github.check_runs(shop.head, name="Assay")[0]["conclusion"], timeout_s=60)
        said = told_by()
        assert "pytest" in said
        assert "Lint: PASS" in said, said
        assert "assay / tools" not in said, "what the job has told itself its check does not tell once more"
        for secret in shop.secrets():
            assert secret not in process.said()
    finally:
        process.close()


# ------------------------------------------------------------------ the App refuses


def test_a_workflow_that_is_not_trusted_is_told_with_the_line_its_operator_needs(shop: Shop, door: Door):
    said = refusal(shop, door.url, shop.job(f"{WORKFLOW}@refs/heads/main"))
    assert said == (
        "the App does not trust this workflow: its operator adds to ASSAY_TRUSTED_WORKFLOWS: "
        "assay-dev/assay/.github/workflows/validate.yml@refs/heads/main"
    )


def test_the_line_that_is_told_is_one_that_makes_the_app_trust_it(shop: Shop):
    workflow = f"{WORKFLOW}@{'ef' * 20}"
    with door_of(shop.github, shop.folder / "strict") as strict:
        line = refusal(shop, strict.url, shop.job(workflow)).rpartition(" ")[2]
    assert line == workflow
    with door_of(shop.github, shop.folder / "trusting", trusted=(line,)) as trusting:
        installed(trusting, shop.github, datetime.now(UTC))
        assert post_results(trusting.url, body_of(TOOLS), shop.job(workflow)).head_sha == shop.head


def test_a_workflow_file_of_the_pull_request_itself_is_no_matter_of_trust(shop: Shop, door: Door):
    said = refusal(shop, door.url, shop.job("acme/shop/.github/workflows/ci.yml@refs/pull/1/merge"))
    assert said.startswith("the App trusts no workflow file of the pull request itself: call Assay's own validate.yml")


@pytest.mark.parametrize("workflow", ["evil\n::set-output name=x::y", "a b@c", "\x1b[31m", 7, None, "x" * 900])
def test_a_claim_of_another_shape_is_not_repeated(shop: Shop, door: Door, workflow: object):
    said = posting._untrusted(workflow)
    assert said == "the App does not trust this workflow: its operator adds it to ASSAY_TRUSTED_WORKFLOWS"


def test_another_audience_is_told_with_both_ways_to_mend_it(shop: Shop):
    with door_of(shop.github, shop.folder, audience="https://assay.example.com") as door:
        said = refusal(shop, door.url, shop.job())
    assert f"ASSAY_RESULTS_AUDIENCE={door.url}" in said
    assert "ASSAY_PUBLIC_URL as app-url" in said


def test_another_github_is_told_as_such(shop: Shop, door: Door):
    said = refusal(shop, door.url, shop.job(iss="https://token.example"))
    assert said == "the App believes the tokens of another GitHub: set ASSAY_OIDC_ISSUER there to this one's"


def test_an_old_token_is_not_believed(shop: Shop, door: Door):
    said = refusal(shop, door.url, shop.job(exp=1_000_000, nbf=999_000, iat=999_000))
    assert said == "the App does not believe this job's identity token: the token is not valid: it has expired"


def test_a_repository_without_the_app_is_told(shop: Shop):
    with door_of(shop.github, shop.folder) as door:
        said = refusal(shop, door.url, shop.job())
    assert said == "the App refuses the results (404): the App is not installed on this repository"


def test_an_event_that_may_not_post_is_told(shop: Shop, door: Door):
    run_id = shop.github.workflow_run(shop.head, event="schedule")
    said = refusal(shop, door.url, job_of(shop.github, shop.folder, run_id))
    assert said == "the App refuses the results (403): jobs of the event schedule may not post results"


def test_more_than_the_app_takes_is_not_even_sent(shop: Shop, door: Door, monkeypatch: pytest.MonkeyPatch):
    large = b" " * (MOST_BODY_BYTES + 1)
    job = shop.job()
    assert refusal(shop, door.url, job, large) == "the results take 4194305 bytes, and the App takes 4194304"
    assert shop.secrets() == list(shop.github.state.jobs), "no token was asked for"
    monkeypatch.setattr(posting, "MOST_BODY_BYTES", 2 * MOST_BODY_BYTES)
    assert "more than the App takes" in refusal(shop, door.url, job, large)


# ------------------------------------------------------------------ no token


@pytest.mark.parametrize(("event", "more"), [("pull_request", "a fork is never given it"), ("push", None)])
def test_a_job_that_may_not_ask_for_a_token_is_told_which_permission_it_lacks(
    shop: Shop, tmp_path: Path, event: str, more: str | None
):
    job = read_job(environment(tmp_path, EVENT=event))
    said = refusal(shop, "https://assay.example.com", job)
    assert "`id-token: write`" in said
    assert (more in said) if more else ("fork" not in said)


def test_a_runner_that_gives_no_token_is_told(shop: Shop, door: Door):
    job = shop.job()
    shop.github.state.tokens.clear()
    assert refusal(shop, door.url, job) == (
        "GitHub's service for identity tokens gave none (it answered 401); run the job again"
    )


@pytest.mark.parametrize("value", [None, 5, "a.b", "a.b.c\nx-evil: 1", "a.b." + "c" * 20_000])
def test_what_the_runner_gives_must_look_like_a_token(shop: Shop, door: Door, value: object):
    with odd((200, JSON, json.dumps({"value": value}).encode())) as runner:
        job = dataclasses.replace(shop.job(), identity_url=runner.url)
        assert "gave none (it answered 200)" in refusal(shop, door.url, job)


def test_a_service_that_fails_for_a_moment_is_asked_again(shop: Shop, door: Door):
    shop.github.front.fault("/token/request", 503, times=2)
    time = Time()
    assert post_results(door.url, body_of(TOOLS), shop.job(), clock_s=time.clock_s, sleep=time.sleep).run_id
    assert time.slept == [1.0, 2.0]


# ------------------------------------------------------------------ something else answers


def test_an_app_that_is_down_is_waited_for_no_longer_than_a_minute(shop: Shop):
    time = Time()
    url = f"http://127.0.0.1:{free_port()}"
    assert refusal(shop, url, shop.job(), time=time) == f"the App at {url} cannot be reached: no connection"
    assert time.slept == [*PAUSES_S, PAUSES_S[-1]]
    assert sum(time.slept) < TOGETHER_S


def test_an_app_that_comes_back_gets_its_results(shop: Shop):
    with odd((502, HTML, b"<html>"), (429, {"retry-after": "20"}, b""), (503, JSON, b"{}"), KEPT) as app:
        time = Time()
        answer = post_results(app.url, body_of(TOOLS), shop.job(), clock_s=time.clock_s, sleep=time.sleep)
    assert (answer.run_id, time.slept) == (5, [1.0, 20.0, 4.0])
    assert {body for _, _, body in app.got} == {body_of(TOOLS)}


@pytest.mark.parametrize("wait", ["61", "999999999999", "-5", "soon", "1e9", "٣"])
def test_a_wait_of_more_than_a_minute_is_not_waited_for(shop: Shop, wait: str):
    refused = json.dumps({"refused": "the database is not available"}).encode()
    with odd((503, JSON | {"retry-after": wait.encode().decode("latin-1")}, refused)) as app:
        time = Time()
        said = refusal(shop, app.url, shop.job(), time=time)
    assert said == "the App cannot take the results now: the database is not available; run the job again later"
    assert sum(time.slept) < TOGETHER_S


@pytest.mark.parametrize("status", [200, 401, 403, 404, 422])
def test_a_page_for_people_is_no_answer_of_the_app(shop: Shop, status: int):
    with odd((status, HTML, b"<html>Sign in\x1b[31m ::error::x</html>")) as app:
        said = refusal(shop, app.url, shop.job())
    assert (
        said == f"what answers at {app.url} is not the App ({status}, text/html): look at app-url, and at the App's log"
    )


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
def test_json_of_another_shape_is_no_answer_of_the_app(shop: Shop, body: bytes):
    with odd((200, JSON, body)) as app:
        assert "is not the App (200, application/json)" in refusal(shop, app.url, shop.job())


def test_a_server_in_front_that_takes_less_is_named(shop: Shop):
    with odd((413, HTML, b"<html>")) as app:
        said = refusal(shop, app.url, shop.job())
    assert "more than a server in front of the App takes; let it take 4 MiB" in said


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed_with_the_token(shop: Shop, status: int):
    with odd(KEPT) as other, odd((status, {"location": f"{other.url}/api/v1/results"}, b"")) as app:
        said = refusal(shop, app.url, shop.job())
    assert other.got == []
    assert said.endswith(f"give as app-url the address where the App itself answers, such as {other.url}")


@pytest.mark.parametrize("place", ["", "//", "http://[", "https://a\x1b[0m/", "https://user:pass@h/", "javascript:x"])
def test_a_redirect_to_nonsense_is_not_repeated(shop: Shop, place: str):
    with odd((302, {"location": place}, b"")) as app:
        assert refusal(shop, app.url, shop.job()).endswith("the address where the App itself answers")


def test_words_of_the_other_side_are_one_short_printable_line(shop: Shop):
    words = json.dumps({"refused": "a\n::error::b\x1b[31m" + "x" * 10_000}).encode()
    with odd((422, JSON, words)) as app:
        said = refusal(shop, app.url, shop.job())
    assert said.startswith("the App refuses the results (422): a ::error::b [31mxxx")
    assert len(said) < 300


def test_an_endless_answer_is_not_read_to_its_end(shop: Shop):
    with odd((200, JSON | {"content-length": "10000000"}, b" " * 10_000_000)) as app:
        assert "longer than 64 KiB" in refusal(shop, app.url, shop.job())


def test_a_server_that_trickles_is_given_up(shop: Shop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(posting, "TOGETHER_S", 1.0)
    with odd((200, JSON, b" " * 100), pause_s=0.1) as app, pytest.raises(PostingFailed, match="no answer in time"):
        post_results(app.url, body_of(TOOLS), shop.job())


def test_no_credential_goes_out_in_clear(shop: Shop):
    assert "by https alone" in refusal(shop, "http://assay.example.com", shop.job())
    job = dataclasses.replace(shop.job(), identity_url="http://runner.example")
    assert "not reached by https" in refusal(shop, "https://assay.example.com", job)
