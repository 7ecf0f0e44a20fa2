"""Durable jobs with the real engine: order, superseding, limits, retries, parking, release."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import Mock

import pytest

from assay.github.errors import GithubRefused, GithubUnavailable, RateLimited, ValidationFailed
from assay.github_app.maintenance.dead_letter import dead_letters, release
from assay.github_app.server.admission import Admission
from assay.github_app.server.workflows import Workflows
from assay.github_app.store import DeliveryState, RunState
from tests.github_app.conftest import Engine
from tests.github_app.stand_ins import REPOSITORY, pull_facts, sha

ID = REPOSITORY.id


def test_a_pull_request_is_validated_and_its_check_run_concluded(engine: Engine):
    engine.validator.go.set()
    delivery = engine.deliver("opened", pull_facts(1, sha(10)))
    engine.until(lambda: engine.state(1, sha(10)) is RunState.completed)
    assert engine.publisher.of(sha(10)) == ["in_progress", "final"]
    row = engine.context.store.deliveries.get(delivery)
    assert row is not None
    assert row.state is DeliveryState.done


def test_a_newer_head_stops_the_older_run_before_its_own_begins(
    both_databases: dict[str, Any], make_engine: Callable[..., Engine]
):
    engine = make_engine(**both_databases)
    engine.deliver("opened", pull_facts(1, sha(10)))
    engine.until(lambda: sha(10) in engine.validator.at_work)
    engine.deliver("synchronize", pull_facts(1, sha(11), minute=1))
    engine.until(lambda: sha(11) in engine.validator.at_work)
    assert engine.validator.stopped == [sha(10)]
    engine.validator.go.set()
    engine.until(lambda: engine.state(1, sha(11)) is RunState.completed)
    spans = {head: (began, ended) for head, began, ended in engine.validator.spans}
    assert spans[sha(10)][1] <= spans[sha(11)][0]
    assert engine.publisher.of(sha(10)) == ["in_progress", f"superseded: {sha(11)}"]
    assert engine.state(1, sha(10)) is RunState.superseded


@pytest.mark.soak
def test_a_head_superseded_before_its_run_began_gets_no_check_run(make_engine: Callable[..., Engine]):
    engine = make_engine(parallel_runs=1)
    engine.deliver("opened", pull_facts(1, sha(10)))
    engine.until(lambda: sha(10) in engine.validator.at_work)
    engine.deliver("opened", pull_facts(2, sha(20)))
    engine.until(lambda: engine.state(2, sha(20)) is RunState.queued)
    engine.deliver("synchronize", pull_facts(2, sha(21), minute=1))
    engine.until(lambda: engine.state(2, sha(20)) is RunState.superseded)
    engine.validator.go.set()
    engine.until(lambda: engine.state(2, sha(21)) is RunState.completed)
    assert engine.publisher.of(sha(20)) == []


@pytest.mark.soak
def test_a_head_that_github_says_is_old_is_left_and_the_newest_is_validated(engine: Engine):
    """The webhook of the newer head is lost; reading the pull request again shows it."""
    engine.validator.go.set()
    engine.github.pulls[1] = pull_facts(1, sha(11), minute=1)
    engine.deliver("opened", pull_facts(1, sha(10)))
    engine.until(lambda: engine.state(1, sha(11)) is RunState.completed)
    assert engine.publisher.of(sha(10)) == []


@pytest.mark.soak
def test_late_and_repeated_news_start_nothing_anew(engine: Engine):
    engine.validator.go.set()
    first, second = pull_facts(1, sha(10)), pull_facts(1, sha(11), minute=1)
    engine.deliver("synchronize", second)
    engine.until(lambda: engine.state(1, sha(11)) is RunState.completed)
    engine.deliver("opened", first)
    same = engine.deliver("synchronize", second, "the-same")
    engine.deliver("synchronize", second, same)
    engine.until(lambda: engine.context.store.deliveries.counts(DeliveryState)[DeliveryState.done] == 3)
    assert engine.publisher.of(sha(11)) == ["in_progress", "final"]
    assert engine.publisher.of(sha(10)) == []


@pytest.mark.soak
def test_no_more_heads_are_validated_at_once_than_allowed(make_engine: Callable[..., Engine]):
    _validates_two_at_once(make_engine(parallel_runs=2))


@pytest.mark.soak
@pytest.mark.postgres
def test_no_more_heads_are_validated_at_once_than_allowed_on_postgresql(
    postgres_url: str, make_engine: Callable[..., Engine]
):
    _validates_two_at_once(make_engine(parallel_runs=2, database_url=postgres_url))


def _validates_two_at_once(engine: Engine) -> None:
    for number in range(1, 7):
        engine.deliver("opened", pull_facts(number, sha(number * 10)))
    engine.until(lambda: len(engine.validator.at_work) == 2)
    engine.until(lambda: engine.context.store.deliveries.counts(DeliveryState)[DeliveryState.done] == 6)
    engine.validator.go.set()
    engine.until(lambda: engine.context.store.runs.counts(RunState)[RunState.completed] == 6)
    moments = sorted(itertools.chain(*(((b, 1), (e, -1)) for _, b, e in engine.validator.spans)))
    assert max(itertools.accumulate(step for _, step in moments)) == 2


@pytest.mark.system
def test_a_noisy_repository_delays_a_quiet_one_by_its_running_job_alone(make_engine: Callable[..., Engine]):
    engine = make_engine(parallel_runs=1)
    context = engine.context
    for number in range(1, 7):
        engine.deliver("opened", pull_facts(number, sha(number * 10)))
    engine.until(
        lambda: context.store.deliveries.counts(DeliveryState)[DeliveryState.done] == 6 and engine.validator.at_work
    )
    context.store.repositories.put(replace(REPOSITORY, id=78, full_name="acme/quiet"), 42, context.clock())
    engine.github.pulls[100] = pull_facts(100, sha(1000))
    context.ask_validation(78, 100, sha(1000), "opened")
    engine.validator.go.set()
    engine.until(lambda: context.store.runs.counts(RunState)[RunState.completed] == 7)
    assert [head for head, _, _ in engine.validator.spans].index(sha(1000)) == 1
    assert context.store.requests.runs() == frozenset()


def test_a_request_whose_job_was_lost_or_has_ended_holds_up_nothing(make_engine: Callable[..., Engine]):
    """As after a crash between admission and queue, or with a new database of the jobs."""
    engine = make_engine(parallel_runs=1)
    engine.validator.go.set()
    context = engine.context
    engine.deliver("opened", pull_facts(1, sha(10)))
    engine.until(lambda: engine.state(1, sha(10)) is RunState.completed)
    run = context.store.runs.of_head(ID, 1, sha(10))
    assert run is not None
    context.request_attempt(run, 1, context.clock())
    engine.until(lambda: not context.store.requests.runs())
    engine.jobs._admission.stop()
    lost = context.ask_validation(ID, 2, sha(20), "opened")
    engine.github.pulls[2] = pull_facts(2, sha(20))
    assert len(context.store.requests.admit(1, context.clock(), lambda _: 1.0)) == 1
    Admission(context, engine.me.executor, every_s=1, stale=timedelta()).once()
    engine.until(lambda: engine.state(2, sha(20)) is RunState.completed)
    assert lost.id not in context.store.requests.runs()


@pytest.mark.soak
def test_a_closed_pull_request_is_validated_no_more(engine: Engine):
    engine.deliver("opened", pull_facts(1, sha(10)))
    engine.until(lambda: sha(10) in engine.validator.at_work)
    engine.deliver("closed", pull_facts(1, sha(10), minute=1, state="closed"))
    engine.until(lambda: len(engine.publisher.of(sha(10))) == 2)
    assert engine.state(1, sha(10)) is RunState.cancelled
    assert engine.publisher.of(sha(10))[-1] == "cancelled: the pull request was closed"
    engine.validator.go.set()
    engine.deliver("reopened", pull_facts(1, sha(10), minute=2))
    engine.until(lambda: engine.publisher.of(sha(10))[-1] == "final")


@pytest.mark.soak
def test_what_github_cannot_do_now_is_tried_again(engine: Engine, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("assay.github_app.runtime.retries.backoff", lambda attempt: timedelta(milliseconds=50))
    engine.validator.go.set()
    engine.github.faults = [GithubUnavailable("read the pull request", "502"), GithubUnavailable("read it", "time out")]
    engine.publisher.faults = [GithubUnavailable("update the check run", "503")]
    engine.deliver("opened", pull_facts(1, sha(10)))
    engine.until(lambda: engine.state(1, sha(10)) is RunState.completed)
    assert engine.publisher.of(sha(10)) == ["in_progress", "final"]


@pytest.mark.soak
def test_when_github_says_not_before_then_it_is_not_before(engine: Engine):
    engine.validator.go.set()
    not_before = datetime.now(UTC) + timedelta(seconds=1.5)
    engine.github.faults = [RateLimited("read the pull request", "secondary limit", not_before)]
    engine.deliver("opened", pull_facts(1, sha(10)))
    engine.until(lambda: engine.context.store.runs.counts(RunState)[RunState.completed] == 1, timeout_s=25)
    run = engine.context.store.runs.of_head(ID, 1, sha(10))
    assert run is not None
    assert run.started_at is not None
    assert run.started_at >= not_before


@pytest.mark.soak
def test_a_waiting_retry_does_not_hold_up_the_next_head(engine: Engine):
    engine.validator.go.set()
    later = datetime.now(UTC) + timedelta(hours=1)
    engine.github.faults = [RateLimited("read the pull request", "limit", later)]
    engine.deliver("opened", pull_facts(1, sha(10)))
    engine.until(lambda: not engine.github.faults)
    engine.deliver("synchronize", pull_facts(1, sha(11), minute=1))
    engine.until(lambda: engine.state(1, sha(11)) is RunState.completed)


@pytest.mark.soak
def test_a_run_that_cannot_be_validated_is_given_up_where_people_see_it_and_can_be_released(
    make_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("assay.github_app.runtime.retries.backoff", lambda attempt: timedelta(milliseconds=10))
    engine = make_engine(max_attempts=2)
    engine.validator.go.set()
    engine.validator.faults = [ValidationFailed("out of memory"), ValidationFailed("out of memory")]
    engine.deliver("opened", pull_facts(1, sha(10)))
    engine.until(lambda: engine.state(1, sha(10)) is RunState.failed)
    engine.until(lambda: "could not run" in engine.publisher.of(sha(10))[-1])
    assert "ValidationFailed: out of memory · incident " in engine.publisher.of(sha(10))[-1]
    (found,) = dead_letters(engine.context.store)
    assert (found.kind, found.id) == ("run", f"run:{ID}:1:{sha(10)}:1")
    assert release(engine.context, found.id)
    engine.until(lambda: engine.state(1, sha(10)) is RunState.completed)
    assert dead_letters(engine.context.store) == ()
    assert not release(engine.context, found.id)


def test_a_failure_that_was_recorded_before_its_worker_died_is_still_published(engine: Engine):
    def replayed(_name: str, _act: Callable[[], str]) -> str:
        raise ValidationFailed("out of memory")

    context = engine.context
    engine.jobs.stop(grace_s=0)
    run, _ = context.store.runs.begin(ID, 1, sha(10), "opened", context.clock())
    resumed = Workflows(context, Mock(), Mock(), engine.me, replayed)
    for _ in range(2):
        resumed.validate_head(run.id, context.settings.max_attempts, int(context.clock().timestamp()))
        (job,) = context.queues.unended()
        assert job.id == f"publish:{run.id}:failed:1"
        context.queues.discard(job)


@pytest.mark.soak
def test_a_delivery_that_cannot_be_handled_is_parked_and_can_be_released(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("assay.github_app.runtime.retries.backoff", lambda attempt: timedelta(milliseconds=10))
    engine.validator.go.set()
    handling = "assay.github_app.server.workflows.handle"
    before = _original(handling)

    def refused(*_: Any) -> None:
        raise GithubRefused(403, "read the pull request", "not allowed")

    monkeypatch.setattr(handling, refused)
    delivery = engine.deliver("opened", pull_facts(1, sha(10)))
    (found,) = engine.until(lambda: dead_letters(engine.context.store))
    assert (found.kind, found.id) == ("delivery", delivery)
    assert "GithubRefused" in found.why
    monkeypatch.setattr(handling, before)
    assert release(engine.context, delivery)
    engine.until(lambda: engine.state(1, sha(10)) is RunState.completed)


@pytest.mark.soak
def test_a_payload_that_is_not_githubs_is_parked_at_once(engine: Engine):
    broken = {"action": "opened", "repository": {"id": ID, "full_name": "acme/shop"}, "pull_request": {"number": 1}}
    delivery = engine.receive("pull_request", broken)
    engine.until(lambda: engine.context.store.deliveries.counts()[DeliveryState.parked] == 1)
    row = engine.context.store.deliveries.get(delivery)
    assert row is not None
    assert (row.attempt, "invalid payload" in (row.error or "")) == (1, True)


@pytest.mark.soak
def test_checks_that_end_bring_a_waiting_run_to_its_end(engine: Engine):
    engine.validator.go.set()
    engine.publisher.waits_until = datetime.now(UTC) + timedelta(hours=1)
    engine.deliver("opened", pull_facts(1, sha(10)))
    engine.until(lambda: engine.state(1, sha(10)) is RunState.waiting)
    engine.publisher.waits_until = None
    repository = {"id": ID, "full_name": "acme/shop"}
    for state in ("pending", "success"):
        body = {"sha": sha(10), "state": state, "context": "ci", "repository": repository, "id": 1}
        engine.receive("status", body | {"branches": []})
    engine.until(lambda: engine.state(1, sha(10)) is RunState.completed)
    assert engine.publisher.of(sha(10)) == ["in_progress", "waiting", "final"]


@pytest.mark.soak
def test_a_waiting_run_is_cancelled_by_a_newer_head(engine: Engine):
    engine.validator.go.set()
    engine.publisher.waits_until = datetime.now(UTC) + timedelta(hours=1)
    engine.deliver("opened", pull_facts(1, sha(10)))
    engine.until(lambda: engine.state(1, sha(10)) is RunState.waiting)
    engine.deliver("synchronize", pull_facts(1, sha(11), minute=1))
    engine.until(lambda: engine.publisher.of(sha(10))[-1].startswith("superseded: "))


def _original(path: str) -> Any:
    import importlib

    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)
