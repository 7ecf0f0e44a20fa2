"""Results posted by workflows: who is believed, who is not, which head they are about, and what a body may hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from assay.github.client import WorkflowRunFacts
from assay.github.errors import GithubRefused, GithubUnavailable
from assay.github.events.model import RepositoryFacts
from assay.github.external_results.tools_payload import MOST_BODY_BYTES, PostedTools, body_of, kept, read_posted
from assay.github_app.ops.settings import Settings
from assay.github_app.runtime.context import Context
from assay.github_app.server.worker import add_uploads
from assay.github_app.store import Store
from assay.github_app.web.http.oidc import IdentityTokens
from assay.github_app.web.http.trusted_jobs import is_trusted
from assay.github_app.web.uploads.routes import router
from assay.github_app.web.uploads.tool_results import Results
from assay.validators import Gate, Outcome, ReportUnreadable, ToolKind, ToolRun, ToolsResult
from tests.github_app.identity_tokens import AUDIENCE, ISSUER, TRUSTED, WORKFLOW, Issuer, token
from tests.github_app.remembering import store_at

HEAD = "ab" * 20
AT = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)


@pytest.fixture
def issuer() -> Issuer:
    return Issuer()


@pytest.fixture
def tokens(issuer: Issuer) -> IdentityTokens:
    return IdentityTokens(ISSUER, AUDIENCE, fetch=issuer.fetch)


# ------------------------------------------------------------------ the workflow


@pytest.mark.parametrize(
    ("ref", "trusted", "believed"),
    [
        (TRUSTED, TRUSTED, True),
        (TRUSTED, f"{WORKFLOW}@v1", True),
        (TRUSTED, f"{WORKFLOW}@{'ef' * 20}", True),
        (f"{WORKFLOW}@refs/heads/main", f"{WORKFLOW}@main", True),
        (TRUSTED, f"{WORKFLOW}@refs/heads/v1", False),
        (TRUSTED, f"{WORKFLOW}@v", False),
        (TRUSTED, f"{WORKFLOW}@refs/tags/v1.1", False),
        (TRUSTED, WORKFLOW, False),
        (TRUSTED, "", False),
        (WORKFLOW, WORKFLOW, False),
        (f"{WORKFLOW}@refs/pull/7/merge", f"{WORKFLOW}@refs/pull/7/merge", False),
        (f"{WORKFLOW}@refs/pull/7/merge", f"{WORKFLOW}@pull/7/merge", False),
        ("evil/assay/.github/workflows/validate.yml@refs/tags/v1", TRUSTED, False),
        (f"{WORKFLOW}x@refs/tags/v1", TRUSTED, False),
    ],
)
def test_only_a_workflow_on_the_list_at_its_ref_is_trusted(
    tokens: IdentityTokens, ref: str, trusted: str, believed: bool
):
    assert is_trusted(tokens.verify(token(job_workflow_ref=ref)), [trusted]) is believed


# ------------------------------------------------------------------ the whole way


class GithubOfRuns:
    """Knows workflow runs of one repository."""

    def __init__(self) -> None:
        self.runs = {500: _run(500, HEAD, "pull_request"), 600: _run(600, "99" * 20, "workflow_run")}
        self.error: Exception | None = None

    @contextmanager
    def open(self, repository_id: int) -> Iterator[GithubOfRuns]:
        assert repository_id == 77
        yield self

    def workflow_run(self, run_id: int) -> WorkflowRunFacts:
        if self.error:
            raise self.error
        if run_id not in self.runs:
            raise GithubRefused(404, "read the workflow run", "Not Found")
        return self.runs[run_id]


def _run(run_id: int, head: str, trigger: str) -> WorkflowRunFacts:
    return WorkflowRunFacts(run_id, "CI", ".github/workflows/ci.yml", head, trigger, "in_progress", None, 1, None, (7,))


TOOLS = ToolsResult(
    (ToolRun("pytest", ToolKind.test, "pytest -q", "Makefile:3 test", Outcome.failed, Gate.strict, 2.5, gating=True),),
    line_coverage={"shop.py": {1: True, 2: True, 3: False, 9: True}, "größe\udcff.py": {1: False}},
    coverage_source="coverage.xml",
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = store_at(f"sqlite:///{tmp_path / 'assay.sqlite'}")
    store.repositories.put(RepositoryFacts(77, "acme/shop"), 4242, AT)
    yield store
    store.close()


@pytest.fixture
def runs() -> GithubOfRuns:
    return GithubOfRuns()


@pytest.fixture
def client(tokens: IdentityTokens, store: Store, runs: GithubOfRuns) -> TestClient:
    app = FastAPI()
    app.include_router(router(Results(tokens, (TRUSTED,), runs.open, store), clock=lambda: AT))
    return TestClient(app)


def post(client: TestClient, signed: str | None = None, body: bytes | None = None) -> Any:
    headers = {"authorization": f"Bearer {token() if signed is None else signed}"}
    return client.post(
        "/api/v1/results", content=body_of(TOOLS, job="tools") if body is None else body, headers=headers
    )


@pytest.mark.parametrize("path", ["/api/v1/results", "/api/v1/memory-results"])
def test_an_app_that_trusts_no_workflow_is_recognized_as_one(path: str, store: Store, tmp_path: Path):
    app = FastAPI()
    add_uploads(app, Context(store, None, Settings(data_dir=tmp_path), None))  # type: ignore[arg-type]
    answer = TestClient(app).post(path)
    assert answer.status_code == 401
    assert answer.json()["refused"]


def test_a_job_is_refused_where_no_workflow_is_trusted(tokens: IdentityTokens, store: Store, runs: GithubOfRuns):
    app = FastAPI()
    app.include_router(router(Results(tokens, (), runs.open, store), clock=lambda: AT))
    answer = post(TestClient(app))
    assert (answer.status_code, answer.json()["code"]) == (403, "workflow")


def test_results_are_kept_for_the_head_that_github_names(client: TestClient, store: Store):
    answer = post(client)
    assert (answer.status_code, answer.json()) == (200, {"head_sha": HEAD, "run_id": 500})
    (row,) = store.checks.results_of(77, HEAD)
    assert (row.number, row.job, row.workflow_ref) == (7, "tools", TRUSTED)
    posted = read_posted(row.tools)
    assert posted.tools.runs == TOOLS.runs
    assert posted.tools.line_coverage == TOOLS.line_coverage
    assert posted.tools.reported_by == "the change's own workflow run"


def test_the_same_results_twice_are_the_same_once(client: TestClient, store: Store):
    signed = token()
    assert [post(client, signed).status_code for _ in range(3)] == [200, 200, 200]
    assert len(store.checks.results_of(77, HEAD)) == 1
    (event,) = store.events.of(77, 7)
    assert (event.kind, event.data["head_sha"], event.data["workflow_ref"]) == ("results_posted", HEAD, TRUSTED)


def test_an_earlier_attempt_never_replaces_a_later_one(client: TestClient, store: Store):
    late = replace(TOOLS, runs=())
    post(client, token(run_attempt="2"), body_of(late, job="tools"))
    post(client, token(run_attempt="1"))
    (row,) = store.checks.results_of(77, HEAD)
    assert (row.run_attempt, read_posted(row.tools).tools.runs) == (2, ())


def test_a_second_stage_posts_for_the_run_it_names(client: TestClient, store: Store):
    signed = token(event_name="workflow_run", run_id="600", ref="refs/heads/main")
    assert post(client, signed, body_of(TOOLS, run_id=500)).json()["head_sha"] == HEAD
    assert post(client, signed).status_code == 422
    assert post(client, signed, body_of(TOOLS, run_id=501)).status_code == 404
    assert post(client, token(), body_of(TOOLS, run_id=600)).status_code == 403


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"job_workflow_ref": "acme/shop/.github/workflows/ci.yml@refs/heads/topic"}, 403),
        ({"job_workflow_ref": f"{WORKFLOW}@refs/pull/7/merge"}, 403),
        ({"event_name": "pull_request_target"}, 403),
        ({"event_name": "schedule"}, 403),
        ({"repository_id": "78"}, 404),
        ({"run_id": "404"}, 404),
        ({"event_name": "push"}, 409),
        ({"aud": "https://other.example"}, 401),
    ],
)
def test_who_may_not_post_is_told_why_and_nothing_is_kept(
    client: TestClient, store: Store, changes: dict[str, Any], status: int
):
    answer = post(client, token(**changes))
    assert answer.status_code == status, answer.text
    assert answer.json()["refused"]
    assert store.checks.results_of(77, HEAD) == ()


@pytest.mark.parametrize("header", [None, "", "Basic dTpw", "Bearer", "Bearer a b", "token x"])
def test_without_a_token_nothing_is_read(client: TestClient, header: str | None):
    headers = {} if header is None else {"authorization": header}
    assert client.post("/api/v1/results", content=b"x", headers=headers).status_code == 401


def test_a_repository_that_was_taken_back_gets_nothing(client: TestClient, store: Store):
    store.repositories.remove(RepositoryFacts(77, "acme/shop"), 4242, AT)
    assert post(client).status_code == 404


def test_while_github_does_not_answer_the_job_may_come_again(client: TestClient, runs: GithubOfRuns):
    runs.error = GithubUnavailable("read the workflow run", "502")
    assert post(client).status_code == 503


def test_a_body_that_is_too_large_is_not_read_to_its_end(client: TestClient):
    assert post(client, body=b" " * (MOST_BODY_BYTES + 1)).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(MOST_BODY_BYTES // 65536 + 2):
            yield b" " * 65536

    headers = {"authorization": f"Bearer {token()}"}
    assert client.post("/api/v1/results", content=endless(), headers=headers).status_code == 413


def changed(**changes: Any) -> bytes:
    data = json.loads(body_of(TOOLS, job="tools"))
    data.update(changes)
    return json.dumps({name: value for name, value in data.items() if value is not None}).encode()


def tools_with(**changes: Any) -> dict[str, Any]:
    tools: dict[str, Any] = json.loads(body_of(TOOLS))["tools"]
    return tools | changes


BAD_BODIES = {
    "not JSON": b"{",
    "a list": b"[]",
    "not UTF-8": b"\xff",
    "deep": b'{"tools":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "another version": changed(version=2),
    "true for a version": changed(version=True),
    "unknown key": changed(conclusion="success"),
    "no tools": changed(tools=None),
    "a job of two lines": changed(job="a\nb"),
    "a run that is text": changed(run_id="500"),
    "a tier of another shape": changed(tools={"runs": {}}),
    "an outcome nobody knows": changed(tools=tools_with(runs=[{}])),
    "more keys inside": changed(tools=tools_with(verdict="success")),
    "thousands of runs": changed(tools=tools_with(runs=[{}] * 101)),
    "a text of megabytes": changed(tools=tools_with(sandbox="x" * 5000)),
    "lines of another shape": changed(lines={"a.py": [1, 2]}),
    "ranges backwards": changed(lines={"a.py": {"run": [[9, 1]]}}),
    "a range without end": changed(lines={"a.py": {"run": [[1, 10**12]]}}),
    "too many lines": changed(lines={f"{n}.py": {"run": [[1, 2**30]]} for n in range(4)}),
    "half a line": changed(lines={"a.py": {"run": [[1.5, 2]]}}),
}


def test_a_body_of_another_shape_is_refused_in_one_line(client: TestClient, subtests: pytest.Subtests):
    for what, body in BAD_BODIES.items():
        with subtests.test(what):
            answer = post(client, body=body)
            assert answer.status_code == 422
            assert len(answer.json()["refused"].splitlines()) == 1


def test_what_is_written_is_read_again():
    posted = PostedTools(replace(TOOLS, line_coverage={"a.py": {1: True, 2: False, 3: False}}), "tools", 5)
    again = read_posted(kept(posted))
    assert again.tools.line_coverage == posted.tools.line_coverage
    assert (again.job, again.run_id) == ("tools", 5)
    with pytest.raises(ReportUnreadable):
        read_posted(b"")
