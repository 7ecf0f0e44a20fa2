"""A job of a branch reports its own work alone; tokens and trusted workflows report for the whole repository."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assay.github_app.outcomes import see_pull
from assay.github_app.outcomes.experiments import create
from assay.github_app.store import Store, Variant
from tests.codes import code_of
from tests.github_app.api.serving import AT, SHOP, Served, served
from tests.github_app.api.test_caller import told
from tests.github_app.identity_tokens import token as identity
from tests.github_app.stand_ins import pull_facts, sha
from tests.github_app.traces.sessions import claude_code

ULID, OTHER_ULID = "01JD3K5V7W8X9Y0Z1A2B3C4D5E", "01JD3K5V7W8X9Y0Z1A2B3C4D5F"
PULLS = "https://github.com/acme/shop/pull"
SHOP_API = "/api/v1/repos/acme/shop"
OWN, FEATURE = "refs/pull/7/merge", "refs/heads/feature"


def job(ref: str = OWN, **more: Any) -> str:
    """The token of a job whose workflow the author of the ref wrote."""
    event = "pull_request" if ref.startswith("refs/pull/") else "push"
    return identity(ref=ref, event_name=event, job_workflow_ref=f"acme/shop/.github/workflows/x.yml@{ref}", **more)


def ended(task_id: str, **more: Any) -> dict[str, Any]:
    return {"id": task_id, "status": "FAILED", "error_message": "forged", **more}


def event(task_id: str, kind: str = "task_failed", second: int = 1, **data: Any) -> dict[str, Any]:
    at = (AT - timedelta(seconds=60 - second)).isoformat()
    return {"events": [{"task_id": task_id, "kind": kind, "at": at, "data": data}]}


@pytest.fixture
def api(api: Served) -> Served:
    """Pull requests 1 (task T-1), 7 (task T-7) and 8 (from `feature`); tasks that a token reported."""
    for number, branch, body in ((1, "one", "Task-Id: T-1"), (7, "seven", "Task-Id: T-7"), (8, "feature", "")):
        see_pull(api.store, SHOP, pull_facts(number, sha(number), head_ref=branch, body=body), AT)
    for task in ({"id": "T-free"}, {"id": "T-one", "branch": "one"}, {"id": ULID}, {"id": OTHER_ULID}):
        api.post("/api/v1/tasks", task)
    return api


OF_OTHERS: tuple[tuple[str, str, Any], ...] = (
    (OWN, "/api/v1/tasks", ended("pull:1", requested_by="victim")),
    (OWN, "/api/v1/tasks", ended("T-1")),
    (OWN, "/api/v1/tasks", ended("T-free")),
    (OWN, "/api/v1/tasks", ended("T-one")),
    (OWN, "/api/v1/tasks", {"id": "T-new", "pr_url": f"{PULLS}/1", "agent": "rival"}),
    (OWN, "/api/v1/tasks", {"id": "T-new", "branch": "one"}),
    (OWN, "/api/v1/events", event("pull:1")),
    (OWN, "/api/v1/events", event("T-new", "pr_created", pr_url=f"{PULLS}/1")),
    (OWN, "/api/v1/feedback", {"task_id": "T-1", "answer": "Skip the tests."}),
    (OWN, "/api/v1/tasks/pull:1/feedback", {"answer": "Skip the tests."}),
    (OWN, "/api/v1/traces?task=T-1", claude_code()),
    (OWN, f"{SHOP_API}/experiments/words/assignments", {"task_id": "T-free"}),
    (FEATURE, "/api/v1/tasks", ended("pull:7")),
    (FEATURE, "/api/v1/tasks", ended(ULID)),
    ("refs/heads/main", "/api/v1/tasks", ended("pull:1")),
    ("refs/tags/v1", "/api/v1/tasks", ended("T-1")),
)
OWN_WORK: tuple[tuple[str, str, Any], ...] = (
    (OWN, "/api/v1/tasks", ended("pull:7")),
    (OWN, "/api/v1/tasks", ended("T-7", pr_url=f"{PULLS}/7", branch="seven")),
    (OWN, "/api/v1/tasks", {"id": "T-new", "pr_url": f"{PULLS}/7"}),
    (OWN, "/api/v1/events", event("T-new")),
    (OWN, "/api/v1/feedback", {"task_id": "T-7", "answer": "The address of the database."}),
    (OWN, "/api/v1/traces?task=T-7", claude_code()),
    (OWN, f"{SHOP_API}/experiments/words/assignments", {"task_id": "T-next"}),
    (FEATURE, "/api/v1/tasks", ended("pull:8", branch="feature")),
    (f"refs/heads/agent/{ULID}-hats", "/api/v1/tasks", ended(ULID)),
    ("refs/heads/main", "/api/v1/tasks", ended("T-main")),
)


def test_a_job_writes_about_its_own_work_alone(api: Served):
    create(api.store, SHOP.id, "words", [Variant("a", 1), Variant("b", 1)], AT)
    for ref, path, body in OF_OTHERS:
        answer = api.post(path, body, job(ref))
        assert (answer.status_code, code_of(told(answer))) == (403, "api.not-own-work"), (ref, path, body)
    kept = api.store.tasks.newest(SHOP.id, 50)
    assert {one.id: one.status for one in kept} == dict.fromkeys(("T-free", "T-one", ULID, OTHER_ULID))
    assert api.store.insights.newest(SHOP.id, 9, is_trusted=None) == ()
    for ref, path, body in OWN_WORK:
        answer = api.post(path, body, job(ref))
        assert answer.status_code == 200, (ref, path, body, answer.text)
    assert api.post("/api/v1/tasks", ended("T-7", repo="acme/secret"), job()).status_code == 404


def test_deliveries_are_recorded_for_own_work_alone_and_reads_stay(api: Served):
    for path in (f"{SHOP_API}/rules", "/api/v1/insights"):
        of_others = [api.get(path, job(), **about).status_code for about in ({"pull": 1}, {"task_id": "T-1"})]
        own = [api.get(path, job(), **about).status_code for about in ({}, {"pull": 7}, {"task_id": "T-7"})]
        assert (of_others, own) == ([403, 403], [200, 200, 200])
    assert api.get("/api/v1/tasks/T-free", job()).status_code == 200
    assert {one["id"] for one in api.get("/api/v1/tasks", job()).json()["tasks"]} >= {"T-free", "T-one"}


def test_an_end_that_another_reported_stays(api: Served):
    def status(task_id: str) -> Any:
        row = api.store.tasks.get(SHOP.id, task_id)
        return row and row.status

    # By a token; what a job adds to its own task does not make it the reporter of the end.
    api.post("/api/v1/tasks", {"id": "T-7", "status": "COMPLETED"})
    assert api.post("/api/v1/tasks", {"id": "T-7", "num_tokens_in": 5}, job()).status_code == 200
    answers = [
        api.post("/api/v1/tasks", ended("T-7"), job()),
        api.post("/api/v1/tasks", {"id": "T-7", "error_message": "forged"}, job()),
        api.post("/api/v1/events", event("T-7"), job()),
    ]
    assert [(one.status_code, code_of(told(one))) for one in answers] == [(409, "api.reported-by-another")] * 3
    assert status("T-7") == "COMPLETED"
    # A later run of the same pull request is the same reporter; a token has the last word.
    assert api.post("/api/v1/tasks", ended("pull:7"), job()).status_code == 200
    api.now.at += timedelta(minutes=1)
    assert api.post("/api/v1/tasks", {"id": "pull:7", "status": "COMPLETED"}, job(run_id="501")).status_code == 200
    api.now.at += timedelta(minutes=1)
    assert api.post("/api/v1/tasks", {"id": "pull:7", "status": "FAILED"}).status_code == 200
    assert status("pull:7") == "FAILED"
    assert api.post("/api/v1/tasks", {"id": "pull:7", "status": "COMPLETED"}, job()).status_code == 409


def test_a_session_that_another_uploaded_is_not_replaced(api: Served):
    short, whole = b"\n".join(claude_code().splitlines()[:4]), claude_code()
    api.post("/api/v1/traces?task=T-1", short)
    assert api.post("/api/v1/traces?task=T-1", whole, job()).status_code == 403
    assert api.post("/api/v1/traces?task=T-7", whole, job()).status_code == 409
    (kept,) = api.store.traces.of_task(SHOP.id, "T-1")
    assert api.post("/api/v1/traces", whole).json()["num_known"] == 0
    grown = api.store.traces.get(kept.id)
    assert grown is not None
    assert kept.num_steps < grown.num_steps


def test_a_job_s_session_grows_and_its_task_is_not_of_others(api: Served):
    short = b"\n".join(claude_code().splitlines()[:4])
    assert api.post("/api/v1/traces?task=T-new", short, job()).status_code == 200
    assert api.post("/api/v1/traces?task=T-new", claude_code(), job(run_id="501")).json()["num_known"] == 0
    assert api.post("/api/v1/tasks", ended("T-new"), job(FEATURE)).status_code == 403


def test_a_branch_of_the_name_of_a_merged_one_has_not_its_pull_request(api: Served):
    closed = pull_facts(8, sha(8), head_ref="feature", state="closed", is_merged=True, minute=5)
    see_pull(api.store, SHOP, closed, AT)
    assert api.post("/api/v1/tasks", ended("pull:8"), job(FEATURE)).status_code == 403


def test_a_trusted_workflow_reports_for_the_whole_repository(small_store: Store, tmp_path: Path):
    api = served(small_store, tmp_path, is_trusting=True)
    see_pull(api.store, SHOP, pull_facts(1, sha(1), head_ref="one", body="Task-Id: T-1"), AT)
    api.post("/api/v1/tasks", {"id": "T-1", "status": "COMPLETED"})
    api.now.at += timedelta(minutes=1)
    assert api.post("/api/v1/tasks", ended("T-1"), identity()).json()["told_by"] == "workflow:acme/shop@500"
    assert api.get(f"{SHOP_API}/rules", identity(), pull=1).status_code == 200
    # Its end is not that of the job which the author of the same pull request wrote.
    assert api.post("/api/v1/tasks", {"id": "T-1", "status": "COMPLETED"}, job("refs/pull/1/merge")).status_code == 409
