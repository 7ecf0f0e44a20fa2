"""What was missed is found, and what is old is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assay.github.client import DeliveryFacts
from assay.github.errors import GithubRefused, GithubUnavailable
from assay.github_app.maintenance.missed import (
    MOST_REDELIVERIES,
    missed_deliveries,
    recover,
    recovery_job,
    redeliver_older,
)
from assay.github_app.maintenance.purge import purge
from assay.github_app.maintenance.sweep import open_pulls, request_runs, sweep
from assay.github_app.ops.observability import METRICS
from assay.github_app.runs.sources import delete_inaccessible_clones
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import Job, JobRow, JobState, Queue
from assay.github_app.store import DeliveryState, RunState
from tests.github_app.remembering import take
from tests.github_app.stand_ins import BEGAN, REPOSITORY, GithubOfPulls, context_in, pull_facts, sha

ID = REPOSITORY.id


@pytest.fixture
def github() -> GithubOfPulls:
    return GithubOfPulls()


@pytest.fixture
def context(tmp_path: Path, github: GithubOfPulls) -> Iterator[Context]:
    made = context_in(tmp_path / "data", github)
    made.store.repositories.put(REPOSITORY, 42, made.clock())
    yield made
    made.queues.close()
    made.store.close()


def _tried(number: int, guid: str, status: int, event: str = "pull_request") -> DeliveryFacts:
    return DeliveryFacts(id=number, guid=guid, delivered_at=datetime.now(UTC), status_code=status, event=event)


def test_deliveries_that_never_arrived_are_asked_for_again(context: Context, github: GithubOfPulls):
    github.missed = [
        _tried(5, "arrived-later", 202),
        _tried(4, "refused", 503),
        _tried(3, "arrived-later", 0),
        _tried(2, "not-ours", 0, event="star"),
        _tried(1, "lost", 0),
    ]
    assert "redeliveries requested: 2" in sweep(context, 1)
    assert github.sent_again == [4, 1]


def missed_for(hours: float, every_s: float, *, live: int, now: datetime) -> list[DeliveryFacts]:
    """GitHub's list after an outage that ended a minute ago: `live` deliveries since, and one lost every so often."""
    lost = [
        DeliveryFacts(
            id=number,
            guid=f"lost-{number}",
            delivered_at=now - timedelta(seconds=60 + (hours * 3600 / every_s - number) * every_s),
            status_code=0,
            event="check_run" if number % 2 else "pull_request",
        )
        for number in range(int(hours * 3600 / every_s))
    ]
    before = [
        _tried(10**7 - n, f"before-{n}", 202).model_copy(update={"delivered_at": lost[0].delivered_at})
        for n in range(120)
    ]
    since = [_tried(10**6 + n, f"live-{n}", 202) for n in range(live)]
    return [*since, *reversed(lost), *before]


def test_after_an_outage_jobs_go_back_to_when_deliveries_arrived(
    context: Context, github: GithubOfPulls, monkeypatch: pytest.MonkeyPatch
):
    """A day's list is longer than a turn reads; half of it are checks, which are read when a head is validated."""
    put: list[Job] = []
    monkeypatch.setattr(type(context.queues), "put", lambda _, job: put.append(job))
    github.missed = missed_for(24, 30, live=20, now=context.clock())
    assert MOST_REDELIVERIES <= missed_deliveries(context, 1) <= MOST_REDELIVERIES + 100
    num_parts = 0
    while put:
        job = put.pop()
        num_parts += 1
        assert job.id == f"redeliver:0:{num_parts}"
        before = len(github.sent_again)
        redeliver_older(context, *job.arguments)  # type: ignore[arg-type]
        assert len(github.sent_again) - before < MOST_REDELIVERIES + 100
    asked = github.sent_again
    wanted = {one.id for one in github.missed if not one.arrived and one.event == "pull_request"}
    assert wanted <= set(asked)
    assert len(asked) == len(set(asked))
    assert len([one for one in asked if one % 2]) <= MOST_REDELIVERIES, "checks, of the first turn alone"
    assert num_parts == 7


def test_what_a_restored_database_lacks_is_requested_whether_it_arrived_or_not(
    context: Context, github: GithubOfPulls, monkeypatch: pytest.MonkeyPatch
):
    put: list[Job] = []
    monkeypatch.setattr(type(context.queues), "put", lambda _, job: put.append(job))
    context.store.deliveries.receive("kept", "push", None, "acme/shop", None, 42, b"{}", context.clock())
    before = datetime.now(UTC) - timedelta(hours=2)
    github.missed = [
        _tried(2000, "tried-twice", 202, event="issue_comment"),
        *(_tried(1999 - n, f"lost-{n}", 202, event="issue_comment" if n % 2 else "push") for n in range(500)),
        _tried(9, "a check", 202, event="check_run"),
        _tried(8, "kept", 202, event="push"),
        _tried(7, "tried-twice", 503, event="issue_comment"),
        _tried(6, "before", 202).model_copy(update={"delivered_at": before}),
    ]
    put.append(recovery_job(datetime.now(UTC) - timedelta(hours=1), "c"))
    ids = []
    while put:
        job = put.pop()
        ids.append(job.id)
        recover(context, *job.arguments)  # type: ignore[arg-type]
    assert ids == [f"recover:c:{part}" for part in range(1, len(ids) + 1)]
    assert len(ids) > 1
    assert sorted(set(github.sent_again)) == [7, *range(1500, 2001)]


def test_while_nothing_arrives_one_delivery_is_tried(context: Context, github: GithubOfPulls):
    github.missed = [_tried(number, f"lost-{number}", 0) for number in range(50, 0, -1)]
    assert missed_deliveries(context, 1) == 1
    assert github.sent_again == [50]


def test_what_is_stored_is_not_asked_for_again(context: Context, github: GithubOfPulls):
    context.store.deliveries.receive("lost-2", "push", None, "acme/shop", None, 42, b"{}", context.clock())
    github.missed = [_tried(3, "fine", 202), _tried(2, "lost-2", 0), _tried(1, "lost-1", 0)]
    assert missed_deliveries(context, 1) == 1
    assert github.sent_again == [1]


def test_ends_that_were_missed_are_recorded(context: Context, github: GithubOfPulls):
    """Merged and closed while the App was away; one was opened meanwhile too, and another is open still."""
    at = BEGAN + timedelta(days=2)
    for number in (1, 2, 3):
        github.pulls[number] = pull_facts(number, sha(number))
    request_runs(context, ID)
    ended: dict[str, Any] = {"state": "closed", "closed_at": at, "updated_at": at}
    github.pulls[1] = pull_facts(1, sha(1), **ended, is_merged=True, merged_at=at, merge_commit_sha=sha(99))
    github.pulls[2] = pull_facts(2, sha(2), **ended)
    github.pulls[4] = pull_facts(4, sha(4), **{**ended, "updated_at": at + timedelta(minutes=1)})
    request_runs(context, ID)
    kinds = {number: [one.kind for one in context.store.outcomes.of(ID, number)] for number in (1, 2, 3, 4)}
    assert kinds == {1: ["merged"], 2: ["closed"], 3: [], 4: ["closed"]}
    assert [row.number for row in context.store.pulls.open_in(ID)] == [3]
    assert github.num_lists == 1
    request_runs(context, ID)
    assert github.num_lists == 1, "nothing is missing any more"


def test_open_pull_requests_whose_head_has_no_run_get_one(context: Context, github: GithubOfPulls):
    context.store.pulls.see(pull_facts(1, sha(10)), REPOSITORY, context.clock())
    context.store.pulls.see(pull_facts(2, sha(20), state="closed"), REPOSITORY, context.clock())
    github.pulls = {3: pull_facts(3, sha(30)), 4: pull_facts(4, sha(40))}
    context.store.pulls.pause(ID, 4, "rui", context.clock())
    for turn in range(12):
        sweep(context, turn)
    heads = {run.head_sha for run in context.store.runs.unended()}
    assert heads == {sha(10), sha(30)}
    assert context.store.requests.runs() == {run.id for run in context.store.runs.unended()}


def test_a_repository_that_github_refuses_does_not_hold_up_those_after_it(
    context: Context, github: GithubOfPulls, monkeypatch: pytest.MonkeyPatch
):
    before = replace(REPOSITORY, id=ID - 12, full_name="acme/refused")  # of the same turn
    context.store.repositories.put(before, 42, context.clock())
    github.pulls = {3: pull_facts(3, sha(30))}
    opened = github.repository

    def refusing(installation_id: int, repository_id: int, full_name: str, **more: Any) -> Any:
        if repository_id == before.id:
            raise GithubRefused(403, "list the pull requests", "Forbidden")
        return opened(installation_id, repository_id, full_name, **more)

    monkeypatch.setattr(github, "repository", refusing)
    assert open_pulls(context, ID % 12) == 1


def test_a_repository_that_was_taken_away_is_not_read(context: Context, github: GithubOfPulls):
    github.pulls = {3: pull_facts(3, sha(30))}
    context.store.repositories.remove(REPOSITORY, 42, context.clock())
    assert request_runs(context, ID) == 0


def test_runs_that_waited_long_enough_are_concluded(context: Context):
    run = context.ask_validation(ID, 1, sha(10), "opened")
    context.store.runs.advance(run.id, RunState.waiting, context.clock(), wait_until=context.clock())
    assert "runs past their wait: 1" in sweep(context, 7)
    assert any(job.id == f"publish:{run.id}:waited:7:1" for job in context.queues.unended())


def test_a_run_whose_job_is_lost_is_put_in_line_again(context: Context):
    run, _ = context.store.runs.begin(ID, 1, sha(10), "opened", context.clock() - timedelta(minutes=10))
    assert "runs enqueued again: 1" in sweep(context, 7)
    (request,) = context.store.requests.admit(2, context.clock(), lambda _: 1.0)
    assert (request.job_id, request.attempt) == (f"validate:{run.id}:sweep7", 1)
    assert "runs enqueued again" not in sweep(context, 8)


def test_a_job_that_kills_its_workers_is_given_up_and_shown(context: Context, monkeypatch: pytest.MonkeyPatch):
    run = context.ask_validation(ID, 1, sha(10), "opened")
    body, at = b"{}", context.clock()
    context.store.deliveries.receive("d-1", "push", None, "acme/shop", None, 42, body, at)
    take(context.store, 1, at)
    context.queues.put(Job("handle_delivery", "delivery:d-1:1", Queue.deliveries, ("d-1", 1), "acme/shop"))
    poison = [
        JobRow("delivery:d-1:1", "handle_delivery", None, JobState.poison, None, 7),
        JobRow(f"validate:{run.id}:1", "validate_head", None, JobState.poison, None, 7),
    ]
    monkeypatch.setattr(type(context.queues), "poisonous", lambda _: tuple(poison))
    before = METRICS.get_sample_value("assay_runs_total", {"outcome": "failed"}) or 0
    assert "crashing jobs ended: 2" in sweep(context, 1)
    assert METRICS.get_sample_value("assay_runs_total", {"outcome": "failed"}) == before + 1
    failed = context.store.runs.get(run.id)
    assert failed is not None
    assert failed.state is RunState.failed
    assert "7 attempts" in str(failed.error)
    assert context.store.deliveries.counts()[DeliveryState.parked] == 1
    assert {job.id for job in context.queues.unended()} == {f"publish:{run.id}:failed:1"}
    assert context.store.requests.runs() == frozenset()


def test_one_look_that_fails_does_not_stop_the_others(context: Context, monkeypatch: pytest.MonkeyPatch):
    def away(*_: object) -> None:
        raise GithubUnavailable("list webhook deliveries", "502")

    monkeypatch.setattr(context.github, "delivery_page", away)
    context.store.pulls.see(pull_facts(1, sha(10)), REPOSITORY, context.clock())
    said = sweep(context, 1)
    assert "redeliveries requested: failed, GithubUnavailable" in said
    assert "pull requests without a run: 1" in said


def test_what_is_old_is_forgotten_and_what_is_open_is_not(context: Context):
    long_ago = context.clock() - timedelta(days=400)
    deliveries = context.store.deliveries
    for name in ("done", "open"):
        deliveries.receive(name, "push", None, "acme/shop", None, 42, b"{}", long_ago)
    take(context.store, 1, long_ago)
    deliveries.done("done", long_ago)
    context.queues.put(Job("sweep", "sweep:1", Queue.chores, (1,)))
    later = replace(context, clock=lambda: datetime.now(UTC))
    assert purge(later, "2026-11-22").startswith("2026-11-22: deleted 1 deliveries, 0 reports, ")
    assert deliveries.get("open") is not None
    assert deliveries.get("done") is None


def test_the_mirror_of_a_repository_that_was_taken_away_is_removed(context: Context):
    mirrors = context.settings.data_dir / "mirrors"
    for repository_id in (ID, 9_999):
        (mirrors / f"{repository_id}.git").mkdir(parents=True)
    assert delete_inaccessible_clones(context) == 1
    assert [path.name for path in mirrors.glob("*.git")] == [f"{ID}.git"], "one we were never given, or not any more"
    context.store.repositories.remove(REPOSITORY, 42, context.clock() + timedelta(seconds=1))
    assert delete_inaccessible_clones(context) == 1
    assert list(mirrors.glob("*.git")) == []
