"""Results posted to the App: believed and shown by the real one, and every refusal is one line that says what to do."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay.action.environment.job import Job
from assay.action.handover import upload
from assay.action.handover.upload import PostedAnswer, post_results
from assay.github.external_results.tools_payload import MOST_BODY_BYTES, body_of
from tests.codes import code_of
from tests.fakes.github import FakeGitHub
from tests.github_app.action.posting_bed import (
    SECOND,
    TOOLS,
    TRUSTED,
    WORKFLOW,
    Door,
    door_of,
    job_of,
    nobody_sees_a_token,
    refusal,
)
from tests.github_app.action.posting_bed import installed_on as installed
from tests.github_app.processes import AppProcess, environment_for, wait_ready
from tests.ports import free_port
from tests.repositories import RealRepository

__all__ = ["nobody_sees_a_token"]


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


# ------------------------------------------------------------------ the App believes


def test_results_are_kept_for_the_head_and_the_same_twice_count_once(shop: Shop, door: Door):
    job, body = shop.job(), body_of(TOOLS, job="tools")
    answers = [post_results(door.url, body, job) for _ in range(2)]
    assert answers == [PostedAnswer(shop.head, shop.run_id)] * 2
    (row,) = door.store.checks.results_of(job.repository_id, shop.head)
    assert (row.job, row.workflow_ref) == ("tools", TRUSTED)


@pytest.mark.soak
def test_a_slash_at_the_end_of_the_address_makes_no_other_audience(shop: Shop, door: Door):
    assert post_results(f"{door.url}/", body_of(TOOLS), shop.job()).head_sha == shop.head


@pytest.mark.soak
def test_a_second_stage_posts_for_the_run_it_names(shop: Shop, door: Door):
    second = shop.github.workflow_run(shop.head, event="workflow_run", name="report")
    job = job_of(shop.github, shop.folder, second, SECOND)
    answer = post_results(door.url, body_of(TOOLS, job="tools", run_id=shop.run_id), job)
    assert answer == PostedAnswer(shop.head, shop.run_id)
    said = refusal(shop, door.url, job)
    assert code_of(said) == "upload.refused"
    assert "`run_id`" in said


@pytest.mark.soak
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


@pytest.mark.soak
def test_a_workflow_that_is_not_trusted_is_told_with_the_line_its_operator_needs(shop: Shop, door: Door):
    said = refusal(shop, door.url, shop.job(f"{WORKFLOW}@refs/heads/main"))
    assert code_of(said) == "upload.untrusted-workflow"
    assert said.endswith(": assay-dev/assay/.github/workflows/validate.yml@refs/heads/main")


def test_the_line_that_is_told_is_one_that_makes_the_app_trust_it(shop: Shop):
    workflow = f"{WORKFLOW}@{'ef' * 20}"
    with door_of(shop.github, shop.folder / "strict") as strict:
        line = refusal(shop, strict.url, shop.job(workflow)).rpartition(" ")[2]
    assert line == workflow
    with door_of(shop.github, shop.folder / "trusting", trusted=(line,)) as trusting:
        installed(trusting, shop.github, datetime.now(UTC))
        assert post_results(trusting.url, body_of(TOOLS), shop.job(workflow)).head_sha == shop.head


@pytest.mark.soak
def test_a_workflow_file_of_the_pull_request_itself_is_no_matter_of_trust(shop: Shop, door: Door):
    said = refusal(shop, door.url, shop.job("acme/shop/.github/workflows/ci.yml@refs/pull/1/merge"))
    assert code_of(said) == "upload.untrusted-workflow"


@pytest.mark.parametrize("workflow", ["evil\n::set-output name=x::y", "a b@c", "\x1b[31m", 7, None, "x" * 900])
def test_a_claim_of_another_shape_is_not_repeated(workflow: object):
    said = upload._untrusted(workflow)
    assert said == upload._untrusted("")


@pytest.mark.soak
def test_another_audience_is_told_with_both_ways_to_mend_it(shop: Shop):
    with door_of(shop.github, shop.folder, audience="https://assay.example.com") as door:
        said = refusal(shop, door.url, shop.job())
    assert f"ASSAY_RESULTS_AUDIENCE to {door.url}" in said
    assert "upload.wrong-audience" in said


@pytest.mark.soak
def test_another_github_is_told_as_such(shop: Shop, door: Door):
    said = refusal(shop, door.url, shop.job(iss="https://token.example"))
    assert code_of(said) == "upload.wrong-issuer"


def test_an_old_token_is_not_believed(shop: Shop, door: Door):
    said = refusal(shop, door.url, shop.job(exp=1_000_000, nbf=999_000, iat=999_000))
    assert code_of(said) == "upload.invalid-identity-token"


@pytest.mark.soak
def test_a_repository_without_the_app_is_told(shop: Shop):
    with door_of(shop.github, shop.folder) as door:
        said = refusal(shop, door.url, shop.job())
    assert code_of(said) == "upload.refused"
    assert "(404)" in said


def test_an_event_that_may_not_post_is_told(shop: Shop, door: Door):
    run_id = shop.github.workflow_run(shop.head, event="schedule")
    said = refusal(shop, door.url, job_of(shop.github, shop.folder, run_id))
    assert code_of(said) == "upload.refused"
    assert "(403)" in said


@pytest.mark.soak
def test_more_than_the_app_takes_is_not_even_sent(shop: Shop, door: Door, monkeypatch: pytest.MonkeyPatch):
    large = b" " * (MOST_BODY_BYTES + 1)
    job = shop.job()
    assert refusal(shop, door.url, job, large) == "the results have 4194305 bytes; the App accepts 4194304"
    assert shop.secrets() == list(shop.github.state.jobs), "no token was asked for"
    monkeypatch.setattr(upload, "MOST_BODY_BYTES", 2 * MOST_BODY_BYTES)
    assert "upload.too-large" in refusal(shop, door.url, job, large)
