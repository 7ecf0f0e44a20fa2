"""GitHub's hourly limit comes near, and is used up: heads wait, users do not, and the reason shows."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assay.github.errors import RateLimited
from assay.github.events.model import RepositoryFacts
from assay.github_app.ops.permissions import FOR_PUBLISHING
from assay.github_app.runs.current import current_pull
from assay.github_app.runs.publisher import RunPublisher
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import Queue
from assay.github_app.runtime.retries import next_attempt
from assay.github_app.server.admission import Admission
from assay.github_app.store import EventKind
from assay.validators.report.model import Commit
from tests.github_app.publish.reports import fine
from tests.github_app.rooms import Room
from tests.github_app.stand_ins import BEGAN, GithubOfPulls, context_in, sha

RESETS_AT = BEGAN + timedelta(minutes=40)
OURS, THEIRS = RepositoryFacts(1, "acme/shop"), RepositoryFacts(2, "other/shop")


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    """A context whose installation 42 has only the reserve left; 43 has enough."""
    monkeypatch.setattr(GithubOfPulls, "low_until", lambda _: {42: RESETS_AT})
    made = context_in(tmp_path / "data", GithubOfPulls(), parallel_runs=9)
    made.store.repositories.put(OURS, 42, BEGAN)
    made.store.repositories.put(THEIRS, 43, BEGAN)
    yield replace(made, clock=lambda: BEGAN)
    made.queues.close()
    made.store.close()


def admitted(context: Context) -> set[str]:
    """The heads whose jobs wait for a worker or run."""
    Admission(context, "worker", every_s=1).once()
    jobs = [job for job in context.queues.unended() if job.queue == str(Queue.validation)]
    runs = [context.store.runs.get(job.id.removeprefix("validate:").rpartition(":")[0]) for job in jobs]
    return {run.head_sha for run in runs if run is not None}


def test_heads_wait_for_the_reset_of_their_installation_alone_and_users_do_not_wait(context: Context):
    held = context.ask_validation(OURS.id, 1, sha(10), "opened")
    context.ask_validation(OURS.id, 2, sha(11), "rerequested")
    context.ask_validation(THEIRS.id, 1, sha(12), "opened")
    assert admitted(context) == {sha(11), sha(12)}
    (event,) = context.store.events.of(OURS.id, 1)
    assert (event.kind, event.data["run"], event.data["until"]) == (
        EventKind.validation_delayed,
        held.id,
        RESETS_AT.isoformat(),
    )
    assert admitted(context) == {sha(11), sha(12)}
    assert len(context.store.events.of(OURS.id, 1)) == 1, "once, however often a worker asks"
    after = replace(context, clock=lambda: RESETS_AT + timedelta(seconds=1))
    object.__setattr__(after, "github", _Plenty())
    assert admitted(after) == {sha(10), sha(11), sha(12)}


class _Plenty(GithubOfPulls):
    def low_until(self) -> dict[int, datetime]:
        return {}


def test_what_github_says_of_the_hour_is_known_before_it_is_over(room: Room):
    run, _ = room.store.runs.begin(*room.place, room.head, "opened", datetime.now(UTC))
    assert current_pull(room.context, run).state is not None
    room.github.limit(3600, core=20, graphql=2)
    github = room.context.github
    for _ in range(17):
        room.pull()
    assert github.low_until() == {}
    room.pull()
    room.pull()
    (until,) = github.low_until().values()
    assert abs((until - datetime.now(UTC)).total_seconds() - 3600) < 30


def test_a_used_up_hour_is_not_asked_again_before_its_end(room: Room):
    room.github.limit(3600, core=2)
    room.pull()
    room.pull()
    start = len(room.github.requests)
    for attempt in range(1, 4):
        with pytest.raises(RateLimited) as caught:
            room.pull()
        at = datetime.now(UTC)
        again = next_attempt(caught.value, attempt, at, at, 5)
        assert again is not None
        assert 3550 < (again - at).total_seconds() < 3700
    assert len(room.github.requests) == start, "GitHub may ban an App that goes on"
    assert room.github.state.budgets["core"].num_refused == 0


def test_the_limits_of_graphql_and_rest_are_separate(room: Room):
    run, _ = room.store.runs.begin(*room.place, room.head, "opened", datetime.now(UTC))
    room.github.limit(3600, core=50, graphql=1)
    found = [current_pull(room.context, run).state is not None for _ in range(3)]
    assert found == [True, False, False], "then the REST API is asked"
    assert room.github.state.budgets["graphql"].used == 1
    assert room.github.state.budgets["core"].used == 2


@pytest.mark.system
def test_work_goes_on_after_the_reset(room: Room):
    room.github.limit(1, core=1)
    room.pull()
    # A second or two would be waited for in the call.
    room.context.github._paces[room.github.installation_id].most_wait_s = 0
    with pytest.raises(RateLimited):
        room.pull()
    time.sleep(math.ceil(room.github.state.budgets["core"].resets_at - time.time()) + 0.1)
    assert room.pull().number == room.number


@pytest.mark.parametrize("is_delayed", [True, False])
def test_the_check_run_says_why_it_began_late(room: Room, is_delayed: bool):
    run, _ = room.store.runs.begin(*room.place, room.head, "opened", datetime.now(UTC))
    if is_delayed:
        data = {"run": run.id, "until": "2026-11-22T14:00:00+00:00", "why": "GitHub's limit of requests"}
        room.store.events.append(EventKind.validation_delayed, run.id, datetime.now(UTC), *room.place, data=data)
    pull = room.pull()
    said = []
    with room.context.repo(room.repository_id, FOR_PUBLISHING) as repo:
        RunPublisher().begin(run, pull, repo, room.context)
        (check,) = room.github.check_runs(room.head, name="Assay")
        said.append(check["output"]["summary"])
        base = Commit(pull.base_sha, "main")
        done = room.validated(replace(fine(room.head), base=base, merge_base=pull.base_sha))
        RunPublisher().publish(done, pull, repo, room.context)
        (check,) = room.github.check_runs(room.head, name="Assay")
        said.append(check["output"]["summary"])
    assert ["14:00 UTC" in one for one in said] == [is_delayed, is_delayed]
