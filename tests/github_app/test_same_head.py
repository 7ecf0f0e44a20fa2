"""A second pull request of the same commit, against a base that asks for less, is no way round the first verdict."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from typing import Any

import pytest

from assay.action.handover.same_commit import NOT_YET
from assay.github_app.handlers import handle
from assay.github_app.ops.permissions import FOR_PUBLISHING
from assay.github_app.outcomes.record.recording import record
from assay.github_app.runs.publisher import RunPublisher
from assay.github_app.store import RunRow, RunState
from assay.validators import ValidationReport
from assay.validators.report.model import Commit
from tests.github_app.publish.reports import failing, fine
from tests.github_app.rooms import Room, critical


@pytest.fixture
def twins(room: Room) -> tuple[Room, Room]:
    """The pull request of the room, and a second one of the same head against an old branch."""
    room.repository.branch("old", "main")
    room.github.push(room.repository, "old")
    number = room.github.open_pull("change", base="old", by="ada", title="The same, elsewhere")
    opened = room.heard("pull_request", lambda payload: payload["number"] == number)
    record(opened, room.store, datetime.now(UTC))
    return room, dataclasses.replace(room, number=number)


def validated(
    room: Room, report: ValidationReport, mode: str = "enforce", state: RunState = RunState.completed
) -> RunRow:
    base = room.pull().base_sha
    settings = {**report.settings, "configuration": {"mode": mode}}
    at_base = dataclasses.replace(report, base=Commit(base, "main"), merge_base=base)
    return room.validated(dataclasses.replace(at_base, mode=mode, settings=settings), state=state)


def published(room: Room, run: RunRow) -> dict[str, Any]:
    """What the job of this run does; its own Check Run as it stands then."""
    with room.context.repo(room.repository_id, FOR_PUBLISHING) as repo:
        RunPublisher().publish(run, repo.pull(room.number), repo, room.context)
    checks = room.github.check_runs(run.head_sha, name="Assay")
    return next(one for one in checks if one["external_id"] == run.external_id)


def refreshed(room: Room) -> set[str]:
    """The runs that are to be published anew."""
    return {str(job.arguments[0]) for job in room.queues.of("publish_run")}


def test_a_failure_stands_on_the_check_of_the_second_pull_request_too(twins: tuple[Room, Room]):
    first, second = twins
    bad = validated(first, failing(first.head))
    assert published(first, bad)["conclusion"] == "failure"
    good = validated(second, fine(second.head), mode="advisory")
    check = published(second, good)
    assert check["conclusion"] == "failure"
    assert check["output"]["title"].startswith(f"#{first.number} of the same commit ended in failure")
    with first.context.repo(first.repository_id) as repo:
        verdict = repo.our_verdict(first.head)
    assert verdict is not None
    assert verdict.conclusion == "failure", "what the merge queue carries over"


@pytest.mark.soak
def test_a_verdict_that_came_first_is_taken_back_when_the_other_fails(twins: tuple[Room, Room]):
    first, second = twins
    first.store.runs.begin(*first.place, first.head, "test", datetime.now(UTC))
    good = validated(second, fine(second.head))
    check = published(second, good)
    assert (check["conclusion"], NOT_YET in check["output"]["title"]) == ("action_required", True)
    bad = validated(first, critical(first.head))
    assert published(first, bad)["conclusion"] == "action_required"
    assert good.id in refreshed(first)
    assert "ended in action_required" in published(second, good)["output"]["title"]


@pytest.mark.soak
def test_two_good_verdicts_stay_good_and_do_not_wake_each_other_for_ever(twins: tuple[Room, Room]):
    first, second = twins
    one, two = validated(first, fine(first.head)), validated(second, fine(second.head))
    for _ in range(2):
        published(first, one)
        published(second, two)
    first.queues.put_in.clear()
    assert [published(first, one)["conclusion"], published(second, two)["conclusion"]] == ["success", "success"]
    assert first.queues.jobs == []


def test_two_that_are_published_at_the_same_time_do_not_wait_for_each_other_for_ever(twins: tuple[Room, Room]):
    first, second = twins
    one = validated(first, fine(first.head), state=RunState.running)
    two = validated(second, fine(second.head), state=RunState.running)
    assert NOT_YET in published(first, one)["output"]["title"], "the other was not published before"
    assert two.id in refreshed(first), "it may have been looked up before ours was there"
    assert published(second, two)["conclusion"] == "success"
    assert one.id in refreshed(second)
    assert published(first, one)["conclusion"] == "success"


@pytest.mark.soak
def test_one_that_could_not_be_validated_passes_for_nothing_better(twins: tuple[Room, Room]):
    first, second = twins
    run, _ = first.store.runs.begin(*first.place, first.head, "test", datetime.now(UTC))
    first.store.runs.advance(run.id, RunState.failed, datetime.now(UTC), error="it took too long")
    check = published(second, validated(second, fine(second.head)))
    assert (check["conclusion"], "could not be validated" in check["output"]["title"]) == ("failure", True)


@pytest.mark.soak
def test_a_closed_one_is_asked_no_more_and_closing_it_has_the_other_looked_at_again(twins: tuple[Room, Room]):
    first, second = twins
    published(first, validated(first, failing(first.head)))
    good = validated(second, fine(second.head))
    assert published(second, good)["conclusion"] == "failure"
    first.github.close_pull(first.number)
    first.queues.put_in.clear()
    closed = first.heard("pull_request", lambda payload: payload["action"] == "closed")
    handle(closed, first.context)
    assert refreshed(first) == {good.id}
    assert published(second, good)["conclusion"] == "success"
