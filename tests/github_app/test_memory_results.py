"""Examinations of memories that workflows post: who is believed, what a body may hold, and when people are told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import SecretStr

from assay.github.events.model import RepositoryFacts
from assay.github.external_results.memory_payload import (
    MOST_BODY_BYTES,
    body_of_changes,
    body_of_memory,
    read_posted_memory,
    scores_of,
)
from assay.github_app.maintenance.memory_alert import _notice, is_news, memory_alert_job, tell_of_memory
from assay.github_app.runtime.context import Context
from assay.github_app.store import MemoryRunRow, Store
from assay.github_app.web.http.oidc import IdentityTokens
from assay.github_app.web.uploads.memory_results import MemoryResults
from assay.github_app.web.uploads.routes import router
from assay.memory_eval import EvalReport, compare_reports, drift_of, merge_reports
from assay.memory_eval.report.compare import Difference
from assay.statistics import Interval
from assay.validators import ReportUnreadable
from tests.examples import sampled
from tests.github_app.action.memory_runs import mixed, report
from tests.github_app.identity_tokens import AUDIENCE, ISSUER, Issuer, token
from tests.github_app.receiver import Receiver
from tests.github_app.remembering import store_at
from tests.github_app.stand_ins import settings_in
from tests.memory_eval.drift.test_drifting import TEXTS, live
from tests.memory_eval.drift.test_drifting import record as drift_record

# Apprise looks for a module of the standard library that Python 3.13 no longer has.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")

AT = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)
EXAMINES = "assay-dev/assay/.github/workflows/memory-eval.yml@refs/tags/v1"
GOOD, BAD = merge_reports([mixed(0.9)]), merge_reports([mixed(0.3)])
WORSE = compare_reports(GOOD, BAD)


def job(**claims: Any) -> str:
    usual = {"event_name": "schedule", "ref": "refs/heads/main", "job_workflow_ref": EXAMINES}
    return token(**(usual | claims))


def body(regression: Any = "true", baseline_run: int | None = 400) -> bytes:
    return body_of_memory(BAD, "assay-memory-report", regression, WORSE, baseline_run)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with store_at(f"sqlite:///{tmp_path / 'assay.sqlite'}") as store:
        store.repositories.put(RepositoryFacts(77, "acme/shop"), 4242, AT)
        yield store


@pytest.fixture
def told() -> list[MemoryRunRow]:
    return []


@pytest.fixture
def client(store: Store, told: list[MemoryRunRow]) -> TestClient:
    tokens = IdentityTokens(ISSUER, AUDIENCE, fetch=Issuer().fetch)
    app = FastAPI()
    memories = MemoryResults(tokens, (EXAMINES,), store)
    app.include_router(router(memories, on_stored=told.append, clock=lambda: AT))
    return TestClient(app)


def post(client: TestClient, signed: str | None = None, content: bytes | None = None) -> Any:
    headers = {"authorization": f"Bearer {job() if signed is None else signed}"}
    return client.post("/api/v1/memory-results", content=body() if content is None else content, headers=headers)


# ------------------------------------------------------------------ what is kept


def test_the_scores_are_kept_with_their_run_and_what_became_of_them(client: TestClient, store: Store):
    answer = post(client)
    assert (answer.status_code, answer.json()) == (200, {"run_id": 500, "name": "assay-memory-report"})
    (row,) = store.memory_runs.of([77])
    assert (row.agent, row.overall_score, row.num_questions) == ("mine", BAD.overall_score, 40)
    assert (row.run_id, row.name, row.regression) == (500, "assay-memory-report", "true")
    assert row.change is not None
    assert (row.change["before"], row.change["after"]) == (WORSE.overall.before, WORSE.overall.after)
    assert row.change["baseline_run"] == 400
    (event,) = store.events.of_kind("memory_examined", AT, AT + timedelta(seconds=1))
    assert (row.fact_recall, row.comparable) == (None, False)
    assert (event.repository_id, event.data["workflow_ref"], event.data["regression"]) == (77, EXAMINES, "true")


@pytest.mark.soak
def test_the_same_run_twice_is_the_same_once_and_a_later_attempt_replaces_it(client: TestClient, store: Store):
    assert [post(client).status_code for _ in range(3)] == [200, 200, 200]
    better = body_of_memory(GOOD, "assay-memory-report", "unknown", None, None)
    post(client, job(run_attempt="2"), better)
    post(client, job(run_attempt="1"))
    (row,) = store.memory_runs.of([77])
    assert (row.run_attempt, row.overall_score) == (2, GOOD.overall_score)
    assert len(store.events.of_kind("memory_examined", AT, AT + timedelta(seconds=1))) == 2


@pytest.mark.soak
def test_two_examinations_of_one_run_have_names_of_their_own(client: TestClient, store: Store):
    post(client)
    post(client, content=body_of_memory(GOOD, "another", "unknown", None, None))
    assert {row.name for row in store.memory_runs.of([77])} == {"assay-memory-report", "another"}


@pytest.mark.soak
def test_a_retry_asks_for_the_alert_again_where_it_may_have_been_lost(client: TestClient, told: list[MemoryRunRow]):
    post(client)
    post(client)
    assert len({memory_alert_job(row).id for row in told}) == 1
    assert len(told) == 2


# ------------------------------------------------------------------ who may


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        ({"job_workflow_ref": "acme/shop/.github/workflows/memory.yml@refs/heads/main"}, 403),
        ({"event_name": "pull_request", "ref": "refs/pull/7/merge"}, 403),
        ({"event_name": "pull_request_target"}, 403),
        ({"event_name": "workflow_run"}, 403),
        ({"ref": "refs/heads/topic"}, 403),
        ({"ref": "refs/tags/main"}, 403),
        ({"repository_id": "78"}, 404),
        ({"aud": "https://other.example"}, 401),
    ],
)
def test_who_may_not_post_is_told_why_and_nothing_is_kept(
    client: TestClient, store: Store, told: list[MemoryRunRow], claims: dict[str, Any], status: int
):
    answer = post(client, job(**claims))
    assert answer.status_code == status, answer.text
    assert answer.json()["refused"]
    assert store.memory_runs.of([77, 78]) == ()
    assert told == []


def test_without_a_token_nothing_is_read(client: TestClient):
    assert client.post("/api/v1/memory-results", content=b"x").status_code == 401


@pytest.mark.soak
def test_a_repository_that_was_taken_back_gets_nothing(client: TestClient, store: Store):
    store.repositories.remove(RepositoryFacts(77, "acme/shop"), 4242, AT)
    assert post(client).status_code == 404


# ------------------------------------------------------------------ what a body may hold


def changed(**changes: Any) -> bytes:
    data = json.loads(body()) | changes
    return json.dumps({name: value for name, value in data.items() if value != "gone"}).encode()


CHANGE = json.loads(body())["change"]
HOSTILE = {
    "not JSON": b"{",
    "a list": b"[]",
    "not UTF-8": b"\xff",
    "deep": b'{"agent":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "a key twice": b'{"agent": "x", "agent": "y"}',
    "no number": body().replace(b'"num_turns":100', b'"num_turns":NaN'),
    "another version": changed(version=2),
    "an unknown key": changed(verdict="success"),
    "a score above one": changed(overall_score=1.5),
    "a score that is text": changed(overall_score="0.5"),
    "a number for a name": changed(agent=5),
    "a name of megabytes": changed(agent="x" * 5000),
    "a name of two lines": changed(name="a\nb"),
    "no name": changed(name=""),
    "a count below nothing": changed(num_questions=-1),
    "a count that is true": changed(num_questions=True),
    "thousands of categories": changed(categories={f"c{number}": 0.5 for number in range(300)}),
    "a category of megabytes": changed(categories={"c" * 5000: 0.5}),
    "a category of another shape": changed(categories={"c": {"<script>": 1}}),
    "worse without a change": changed(change=None),
    "worse and higher": changed(change=CHANGE | {"before": 0.1, "after": 0.2}),
    "no worse without a change": changed(regression="false", change=None),
    "a regression nobody knows": changed(regression="maybe"),
    "a change with more": changed(change=CHANGE | {"run_url": "https://evil.example"}),
    "a run without end": changed(change=CHANGE | {"baseline_run": 10**30}),
    "half a text": changed().replace(b'"mine"', b'"\\ud800"'),
}


@pytest.mark.parametrize("content", sampled(HOSTILE.values(), 8), ids=HOSTILE)
def test_a_body_of_another_shape_is_refused_in_one_line_that_repeats_nothing(
    client: TestClient, store: Store, content: bytes
):
    answer = post(client, content=content)
    assert answer.status_code == 422, answer.text
    said = answer.json()["refused"]
    assert len(said.splitlines()) == 1
    assert "evil" not in said
    assert "script" not in said
    assert store.memory_runs.of([77]) == ()


def test_a_body_that_is_too_large_is_not_read_to_its_end(client: TestClient):
    assert post(client, content=b" " * (MOST_BODY_BYTES + 1)).status_code == 413
    with pytest.raises(ReportUnreadable):
        read_posted_memory(b" " * (MOST_BODY_BYTES + 1))


def test_what_is_written_is_read_again_and_the_largest_report_fits():
    large = replace(
        report(None, 0.5),
        agent="a" * 1000 + "\n\u202e",
        category_breakdown=[
            type(GOOD.category_breakdown[0])(f"{number:03}" + "ü" * 300, 0.5, 0.5, 0.5, 1) for number in range(999)
        ],
        baselines=[{"name": f"{number}" + "\U0001f600" * 300, "overall_score": 0.5} for number in range(99)],
    )
    written = body_of_memory(large, "n", "unknown", None, None)
    assert len(written) <= MOST_BODY_BYTES
    again = read_posted_memory(written)
    assert (len(again.categories), len(again.baselines)) == (200, 20)
    assert again.agent.isprintable()


def test_a_report_whose_figures_no_examination_has_is_one_line():
    with pytest.raises(ReportUnreadable, match="num_turns"):
        scores_of(replace(report(1), num_turns=2**60))


def of_a_store(share: float, held: str, digest: str = "f") -> EvalReport:
    """A merged report of two worlds whose store was read as a whole."""
    worlds = [
        replace(
            mixed(share),
            seed=seed,
            memory={
                "source": "entries",
                "kept": {"value": held.count("1") / len(held), "n": len(held)},
                "held": held,
                "facts_digest": f"{digest}{seed}",
            },
        )
        for seed in (1, 2)
    ]
    return merge_reports(worlds)


def test_the_facts_held_are_posted_where_the_store_was_read(client: TestClient, store: Store):
    good = of_a_store(0.9, "1" * 90 + "0" * 10)
    post(client, content=body_of_memory(good, "m", "unknown", None, None))
    (row,) = store.memory_runs.of([77])
    assert (row.fact_recall, row.overall_score) == (0.9, good.overall_score)


@pytest.mark.parametrize(("digest", "num_pairs"), [("f", 200), ("another", 0)])
def test_a_memory_that_lost_facts_with_its_answers_unchanged_is_posted_as_worse(
    client: TestClient, store: Store, digest: str, num_pairs: int
):
    before = of_a_store(0.9, "1" * 90 + "0" * 10)
    after = of_a_store(0.9, "1" * 60 + "0" * 40, digest)
    comparison = compare_reports(before, after)
    if not num_pairs:  # other worlds: neither a question nor a fact is shared
        recall = Difference("kept", 0.9, 0.6, -0.3, Interval(-0.4, -0.2), 0.001, 0)
        comparison = replace(comparison, facts=None, recall=recall, paired=False)
    assert comparison.is_worse
    post(client, content=body_of_memory(after, "m", "true", comparison, 400))
    (row,) = store.memory_runs.of([77])
    assert row.change is not None
    assert (row.change["measure"], row.change["before"], row.change["after"]) == ("facts", 0.9, 0.6)
    assert row.change["num_pairs"] == num_pairs


# ------------------------------------------------------------------ who is told


def run_of(number: int, regression: str = "true", before: float = 0.8, baseline_run: int | None = 1) -> MemoryRunRow:
    change = {"before": before, "after": 0.4, "num_pairs": 40, "low": -0.5, "high": -0.3, "baseline_run": baseline_run}
    return MemoryRunRow(
        77, f"run:{number}:m", AT + timedelta(days=number), "mine", "rules", None, 100, 40, 0.4, {}, {}, None, None,
        "m", number, 1, regression, change,
    )  # fmt: skip


def context(store: Store, folder: Path, address: str | None) -> Context:
    urls = SecretStr(address) if address else None
    settings = settings_in(folder).model_copy(update={"alert_urls": urls, "github_url": "https://github.example"})
    return Context(store, cast("Any", None), settings, cast("Any", None), lambda: AT)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, "over 40 questions"),
        ({"num_pairs": 0}, "questions of different worlds"),
        ({"measure": "facts"}, "over 40 facts held"),
        ({"measure": "facts", "num_pairs": 0}, "facts held of different worlds"),
    ],
)
def test_the_alert_says_what_the_change_is_over(change: dict[str, Any], said: str):
    run = run_of(5)
    notice = _notice(replace(run, change={**(run.change or {}), **change}), "acme/shop", "https://github.example")
    assert said in notice.body


@pytest.mark.soak
def test_a_memory_that_got_worse_is_told_once(store: Store, receiver: Receiver, tmp_path: Path):
    hostile = replace(run_of(5), agent="@all <!here> [x](http://evil.example)")
    store.memory_runs.put_posted(hostile)
    here = context(store, tmp_path, receiver.address)
    assert tell_of_memory(here, 77, hostile.key) == "alerted 1 of 1 channels"
    assert tell_of_memory(here, 77, hostile.key) == "alerted 0 of 0 channels"
    (got,) = receiver.got
    assert got["title"] == "Memory regression: acme/shop"
    assert "80.0% before, 40.0% now, over 40 questions (95% interval of the change -50.0% to -30.0%)" in got["message"]
    assert "https://github.example/acme/shop/actions/runs/5" in got["message"]
    assert "@all" not in got["message"]
    assert "http://evil" not in got["message"]
    (event,) = store.events.of_kind("alert_sent", AT, AT + timedelta(seconds=1))
    assert (event.repository_id, event.number, event.data["workflow_run_id"]) == (77, None, 5)


def test_findings_in_a_production_memory_are_kept_and_sent_once(
    client: TestClient, store: Store, receiver: Receiver, tmp_path: Path
):
    good, bad = drift_record(live(*TEXTS)), drift_record(live(*TEXTS[:30]))
    content = body_of_changes(drift_of(good, bad), "assay-memory-changes", "true", 400)
    assert post(client, content=content).status_code == 200
    (row,) = store.memory_runs.of([77])
    assert (row.grading, row.overall_score, row.regression) == ("changes", 0.75, "true")
    here = context(store, tmp_path, receiver.address)
    assert tell_of_memory(here, 77, row.key) == "alerted 1 of 1 channels"
    assert "findings; 75.0% of 40 entries kept" in receiver.got[0]["message"]
    # An exam cannot get worse with the same score; a production memory can have a secret back.
    with pytest.raises(ReportUnreadable):
        read_posted_memory(content.replace(b'"changes"', b'"rules"').replace(b'"after":0.75', b'"after":1.0'))
    assert read_posted_memory(content.replace(b'"after":0.75', b'"after":1.0')).regression == "true"


@pytest.mark.parametrize("regression", ["false", "unknown"])
def test_a_memory_that_did_not_get_worse_is_not_told_of(
    store: Store, receiver: Receiver, tmp_path: Path, regression: str
):
    store.memory_runs.put_posted(run_of(5, regression))
    assert tell_of_memory(context(store, tmp_path, receiver.address), 77, "run:5:m") == "no regression"
    assert tell_of_memory(context(store, tmp_path, receiver.address), 77, "run:6:m") == "no regression"
    assert receiver.got == []


@pytest.mark.soak
def test_while_it_stays_as_bad_nobody_is_told_again_and_of_another_fall_they_are(store: Store):
    story = [
        (run_of(1), True),
        (run_of(2), False),
        (run_of(3), False),
        (run_of(4, "false"), None),
        (run_of(5), True),
        (run_of(6, baseline_run=5, before=0.4), True),
        (run_of(7, baseline_run=None, before=0.9), True),
        (run_of(8, baseline_run=None, before=0.9), False),
    ]
    for run, expected in story:
        store.memory_runs.put_posted(run)
        if expected is not None:
            assert is_news(run, store) is expected, run.key


def test_the_runs_of_another_examination_say_nothing_of_this_one(store: Store):
    store.memory_runs.put_posted(run_of(1))
    other = replace(run_of(2), name="other", key="run:2:other")
    store.memory_runs.put_posted(other)
    assert is_news(other, store)


@pytest.mark.soak
def test_what_was_kept_by_hand_is_never_told_of(store: Store, tmp_path: Path):
    store.memory_runs.put(MemoryRunRow(77, "k", AT, "mine", "rules", None, 1, 1, 0.1, {}, {}, None, "ada"))
    assert tell_of_memory(context(store, tmp_path, None), 77, "k") == "no regression"
