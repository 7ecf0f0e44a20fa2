"""Tasks and their events, told through the interface: what is kept, what is not believed, how they are found again."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.github_app.outcomes import REPORTED_KINDS, see_pull
from assay.github_app.store import DeclaredBy, EventKind, Scope, TaskStatus
from tests.codes import code_of
from tests.examples import num_examples
from tests.github_app.api.serving import AT, SHOP, Served
from tests.github_app.api.test_caller import told
from tests.github_app.stand_ins import pull_facts

ULID = "01JD3K5V7W8X9Y0Z1A2B3C4D5E"
WEB = "https://github.com"
PULL = "https://github.com/acme/shop/pull/7"


def kinds(api: Served, task_id: str) -> list[str]:
    return [event.kind for event in api.store.events.of_task(SHOP.id, task_id)]


@pytest.mark.soak
def test_a_task_is_told_piece_by_piece_and_nothing_known_is_lost(api_on_both: Served):
    api = api_on_both
    first = api.post("/api/v1/tasks", {"id": ULID, "repo": "acme/shop", "agent": "codex", "request": "Sell hats"})
    assert first.status_code == 200, first.text
    assert first.json()["status"] is None
    assert first.json()["submitted_at"].startswith("2024-11-")  # a ULID tells when it was made
    api.now.at += timedelta(hours=1)
    body = {
        "id": ULID, "status": "COMPLETED", "pr_url": PULL, "branch": f"agent/{ULID}", "model": "m-2",
        "prompt_version": "v7", "memory_state": "abc", "num_tokens_in": 1200, "num_tokens_out": 80, "duration_s": 61.5,
    }  # fmt: skip
    assert api.post("/api/v1/tasks", body).status_code == 200
    row = api.store.tasks.get(SHOP.id, ULID)
    assert row is not None
    assert (row.agent, row.model, row.number, row.status) == ("codex", "m-2", 7, TaskStatus.completed)
    assert (row.num_tokens_in, row.num_tokens_out, row.duration_s, row.request) == (1200, 80, 61.5, "Sell hats")
    assert row.status_at == api.now.at
    assert (row.told_by or "").startswith("token:")
    assert kinds(api, ULID) == ["task_submitted", "task_completed"]


@pytest.mark.soak
def test_the_pull_request_learns_its_task_before_every_other_source(api_on_both: Served):
    api = api_on_both
    api.store.pulls.declare(SHOP.id, 7, DeclaredBy.trailer, AT, task_id="T-old", model="m-1", prompt_version="v1")
    api.post(
        "/api/v1/tasks", {"id": "T-1", "pr_url": PULL + "/", "model": "m-2", "prompt": "Be brief.", "agent": "claude"}
    )
    with api.store._database.read() as connection:
        row = connection.exec_driver_sql("SELECT task_id, model, prompt_version, agent FROM pulls").one()
    version = hashlib.sha256(b"Be brief.").hexdigest()
    assert tuple(row) == ("T-1", "m-2", version, "claude")
    kept = api.store.prompt_versions.get(SHOP.id, version)
    assert kept is not None
    assert dict(kept.texts) == {"prompt": "Be brief."}


def test_a_version_that_was_a_name_alone_gets_its_text(api: Served):
    api.store.prompt_versions.put(SHOP.id, "v7", "declared", {}, AT)
    row = api.post("/api/v1/tasks", {"id": "T-1", "prompt_version": "v7", "prompt": "Be brief."}).json()
    assert row["prompt_version"] == "v7"
    api.post("/api/v1/tasks", {"id": "T-2", "prompt_version": "v7", "prompt": "Be long."})
    kept = api.store.prompt_versions.get(SHOP.id, "v7")
    assert kept is not None
    assert dict(kept.texts) == {"prompt": "Be brief."}


@pytest.mark.soak
def test_what_a_task_ended_with_is_kept_without_credentials(api: Served):
    said = "401: the header was `Authorization: Bearer abcdef0123456789abcdef`; see the token endpoint"
    api.post("/api/v1/tasks", {"id": "T-1", "status": "FAILED", "error_message": said, "request": said})
    ended = {"task_id": "T-2", "kind": "task_failed", "at": AT.isoformat(), "data": {"error_message": said}}
    api.post("/api/v1/events", {"events": [ended]})
    for task_id in ("T-1", "T-2"):
        shown = api.get(f"/api/v1/tasks/{task_id}").text
        assert "abcdef0123456789" not in shown
        assert "see the token endpoint" in shown


def test_a_task_links_its_repository_branch_pull_request_and_issues(api: Served):
    see_pull(api.store, SHOP, pull_facts(7, "a" * 40, body="Fixes acme/api#3, closes #12"), AT)
    body = {"id": "T-1", "branch": "agent/hats & coats", "issues": ["#12", f"{WEB}/acme/shop/issues/40"]}
    assert api.post("/api/v1/tasks", body).json()["issues"] == ["acme/shop#12", "acme/shop#40"]
    api.post("/api/v1/tasks", {"id": "T-1", "pr_url": PULL})
    shown = api.get("/api/v1/tasks/T-1").json()
    assert shown["links"] == {
        "repository": f"{WEB}/acme/shop",
        "branch": f"{WEB}/acme/shop/tree/agent/hats%20%26%20coats",
        "pull": PULL,
        "issues": [
            {"issue": "acme/shop#12", "url": f"{WEB}/acme/shop/issues/12"},
            {"issue": "acme/shop#40", "url": f"{WEB}/acme/shop/issues/40"},
            {"issue": "acme/api#3", "url": f"{WEB}/acme/api/issues/3"},
        ],
    }
    assert shown["branch_state"] is None
    pull = api.store.pulls.get(SHOP.id, 7)
    assert pull is not None
    assert pull.issues == ("acme/shop#12", "acme/shop#40", "acme/api#3")


@pytest.mark.parametrize("issue", ["12", "fixes #12", "https://elsewhere.example/a/b/issues/1", "javascript:1#1"])
def test_what_names_no_issue_is_refused(api: Served, issue: str):
    answer = api.post("/api/v1/tasks", {"id": "T-1", "issues": ["#1", issue]})
    assert (answer.status_code, answer.json()["detail"].split(":")[0]) == (422, "issues.1")
    assert api.store.tasks.get(SHOP.id, "T-1") is None


def test_an_older_word_does_not_replace_a_newer_status(api_on_both: Served):
    api = api_on_both
    late, early = (AT - timedelta(minutes=1)).isoformat(), (AT - timedelta(hours=2)).isoformat()
    api.post("/api/v1/tasks", {"id": "T-1", "status": "COMPLETED", "at": late})
    api.post("/api/v1/tasks", {"id": "T-1", "status": "FAILED", "at": early, "error_message": "boom"})
    row = api.store.tasks.get(SHOP.id, "T-1")
    assert row is not None
    assert (row.status, row.error_message) == (TaskStatus.completed, None)
    assert kinds(api, "T-1") == ["task_failed", "task_completed", "task_submitted", "task_evaluated"]


def test_the_same_words_again_are_the_same_task_and_the_same_entries(api: Served):
    body = {"id": "T-1", "status": "FAILED", "at": AT.isoformat(), "error_message": "boom"}
    first = api.post("/api/v1/tasks", body).json()
    api.now.at += timedelta(minutes=3)
    assert {**api.post("/api/v1/tasks", body).json(), "updated_at": None} == {**first, "updated_at": None}
    assert kinds(api, "T-1").count("task_failed") == 1


@pytest.mark.soak
def test_a_task_named_for_its_pull_request_is_that_pull_requests(api: Served):
    assert api.post("/api/v1/tasks", {"id": "pull:7", "status": "COMPLETED"}).json()["number"] == 7
    refused = api.post("/api/v1/tasks", {"id": "pull:7", "pr_url": "https://github.com/acme/shop/pull/8"})
    assert (refused.status_code, code_of(told(refused))) == (422, "api.other-pull-request")


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/other/pull/7",
        "https://evil.example/acme/shop/pull/7",
        "https://github.com/acme/shop/pull/0",
        "https://github.com/acme/shop/pull/7/files",
        "https://github.com/acme/shop/pull/99999999999",
        "javascript:alert(1)",
    ],
)
def test_an_address_of_anything_else_is_refused(api: Served, url: str):
    answer = api.post("/api/v1/tasks", {"id": "T-1", "pr_url": url})
    assert answer.status_code == 422
    assert told(answer).startswith("pr_url: ")
    assert api.store.tasks.get(SHOP.id, "T-1") is None


MEANINGLESS: list[tuple[dict[str, Any], str]] = [
    ({"id": ""}, "id"),
    ({"id": "a b"}, "id"),
    ({"id": "x" * 101}, "id"),
    ({"status": "completed"}, "status"),
    ({"at": "2026-11-22T12:00:00"}, "at"),
    ({"at": "1970-01-01T00:00:00Z"}, "at"),
    ({"at": "2199-01-01T00:00:00Z"}, "at"),
    ({"at": "0001-01-01T00:00:00+14:00"}, "at"),
    ({"num_tokens_in": -1}, "num_tokens_in"),
    ({"num_tokens_in": 2**63}, "num_tokens_in"),
    ({"duration_s": "NaN"}, "duration_s"),
    ({"error_message": "x" * 70_000}, "error_message"),
    ({"risk_level": "low"}, "risk_level"),
]


@pytest.mark.soak
def test_a_value_nobody_can_mean_is_named(api: Served, subtests: pytest.Subtests):
    for changes, field in MEANINGLESS:
        with subtests.test(str(changes)[:80]):
            answer = api.post("/api/v1/tasks", {"id": "T-1", **changes})
            assert answer.status_code == 422
            assert told(answer).startswith(f"{field}: ")


@pytest.mark.soak
def test_tasks_are_listed_in_pages_and_found_by_words(api_on_both: Served):
    api = api_on_both
    for number in range(5):
        api.now.at += timedelta(seconds=1)
        api.post("/api/v1/tasks", {"id": f"T-{number}", "request": "50% off_hats" if number % 2 else "Sell socks"})
    first = api.get("/api/v1/tasks", repo="acme/shop", limit=3).json()
    assert [task["id"] for task in first["tasks"]] == ["T-4", "T-3", "T-2"]
    rest = api.get("/api/v1/tasks", repo="acme/shop", limit=3, after=first["next"]).json()
    assert [task["id"] for task in rest["tasks"]] == ["T-1", "T-0"]
    assert rest["next"] is None
    found = api.get("/api/v1/tasks", q="50% OFF_").json()
    assert [task["id"] for task in found["tasks"]] == ["T-3", "T-1"]
    assert api.get("/api/v1/tasks", q="5_% off").json()["tasks"] == []
    assert api.get("/api/v1/tasks", status="FAILED").json()["tasks"] == []


@pytest.mark.parametrize("mark", ["x", "W10", "WzEsMl0", "é", "eyJhIjoxfQ", "W" * 399])
def test_a_mark_nobody_made_is_refused(api: Served, mark: str):
    answer = api.get("/api/v1/tasks", after=mark)
    assert (answer.status_code, code_of(told(answer))) == (422, "api.invalid-page")


def test_one_task_is_shown_with_all_that_is_known_of_it(api: Served):
    api.post("/api/v1/tasks", {"id": "team/T-1", "status": "TIMED_OUT", "branch": "b"})
    api.post("/api/v1/tasks/team/T-1/feedback", {"answer": "The linter is run by make lint-all."})
    shown = api.get("/api/v1/tasks/team/T-1").json()
    assert shown["evaluation"]["category"] == "out_of_time"
    assert [event["kind"] for event in shown["events"]] == [
        "task_submitted", "task_timed_out", "task_evaluated", "feedback_given",
    ]  # fmt: skip
    assert "The linter is run by make lint-all." in [one["text"] for one in shown["insights"]]
    assert api.get("/api/v1/tasks/T-9").status_code == 404


def test_reading_needs_another_scope_than_feedback(api: Served):
    assert api.get("/api/v1/tasks", secret=api.token(Scope.feedback)).status_code == 403
    assert api.get("/api/v1/tasks", secret=api.token(Scope.metrics_read)).status_code == 200
    assert api.post("/api/v1/tasks", {"id": "T"}, secret=api.token(Scope.metrics_read)).status_code == 403


# ------------------------------------------------------------------ events


def event(kind: str, minute: int = 0, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "task_id": "T-1", "at": (AT - timedelta(minutes=60 - minute)).isoformat(), **more}


def test_events_build_the_life_of_a_task(api_on_both: Served):
    api = api_on_both
    body = {
        "repo": "acme/shop",
        "events": [
            event("task_submitted"),
            event("agent_started", 1, data={"agent": "codex"}),
            event("pr_created", 30, data={"pr_url": PULL}),
            event("task_completed", 31),
        ],
    }
    assert api.post("/api/v1/events", body).json() == {"num_new": 4, "num_known": 0}
    assert api.post("/api/v1/events", body).json() == {"num_new": 0, "num_known": 4}
    row = api.store.tasks.get(SHOP.id, "T-1")
    assert row is not None
    assert (row.status, row.number, row.submitted_at) == (TaskStatus.completed, 7, AT - timedelta(minutes=60))
    assert kinds(api, "T-1")[:4] == ["task_submitted", "agent_started", "pr_created", "task_completed"]
    assert {one.number for one in api.store.events.of_task(SHOP.id, "T-1")} == {None, 7}


def test_of_a_batch_with_one_bad_event_none_is_kept(api_on_both: Served):
    body = {"events": [event("agent_started"), event("pr_created", 1, data={"pr_url": "https://elsewhere.example/1"})]}
    assert api_on_both.post("/api/v1/events", body).status_code == 422
    assert kinds(api_on_both, "T-1") == []


def test_an_event_that_only_assay_records_is_refused(api: Served):
    assert EventKind.task_evaluated not in REPORTED_KINDS
    assert api.post("/api/v1/events", {"events": [event("task_evaluated")]}).status_code == 422


@pytest.mark.soak
def test_what_github_says_is_not_for_harnesses_to_tell(api: Served, subtests: pytest.Subtests):
    told_by_harnesses = {str(one) for one in REPORTED_KINDS}
    for kind in sorted({str(kind) for kind in EventKind} - {"agent_started"}):
        with subtests.test(kind):
            answer = api.post("/api/v1/events", {"events": [event(kind)]})
            assert answer.status_code == (200 if kind in told_by_harnesses else 422)


@pytest.mark.parametrize(
    "data", [{"x": "y" * 20_000}, [], "text", {"x": float("inf")}], ids=["large", "a list", "a text", "no number"]
)
def test_what_comes_with_an_event_is_small_and_plain(api: Served, data: Any):
    text = json.dumps({"events": [event("agent_started", data=data)]}).encode()
    assert api.post("/api/v1/events", text).status_code == 422


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
FIELDS = "id repo status at error_message pr_url branch agent model prompt_version prompt request num_tokens_in".split()


@pytest.mark.soak
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=num_examples(40)
)
@given(body=JSON | st.dictionaries(st.sampled_from([*FIELDS, "x"]), JSON, max_size=6))
def test_no_body_brings_the_doors_down(api: Served, body: Any):
    text = json.dumps(body).encode("utf-8", "surrogatepass")
    for path in ("/api/v1/tasks", "/api/v1/events", "/api/v1/feedback", "/api/v1/tasks/T-1/feedback", "/api/v1/traces"):
        answer = api.post(path, text)
        assert answer.status_code in (200, 404, 422), (path, answer.text)


@pytest.mark.soak
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=num_examples(30)
)
@given(text=st.text(min_size=1, max_size=200))
def test_any_words_are_kept_and_shown_as_they_came(api: Served, text: str):
    answer = api.post("/api/v1/tasks", {"id": "T-1", "request": text})
    if text.strip():
        assert answer.status_code in (200, 422)
        shown = api.get("/api/v1/tasks/T-1")
        assert shown.status_code == 200
        if answer.status_code == 200:
            kept = answer.json()["request"]
            assert shown.json()["request"] == kept
            assert kept.strip() == text.strip().replace("\0", "\N{REPLACEMENT CHARACTER}")


def test_a_time_is_kept_in_utc(api: Served):
    api.post("/api/v1/tasks", {"id": "T-1", "submitted_at": "2026-11-22T13:00:00+02:00"})
    row = api.store.tasks.get(SHOP.id, "T-1")
    assert row is not None
    assert row.submitted_at == datetime(2026, 11, 22, 11, tzinfo=UTC)
