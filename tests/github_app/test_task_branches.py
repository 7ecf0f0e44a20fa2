"""The branch of an ended task: looked up on GitHub, and followed through pushes, pull requests and its deletion."""

from __future__ import annotations

from datetime import timedelta

import pytest

from assay.github.events.model import PullRequestEvent, PushEvent
from assay.github_app.handlers import handle
from assay.github_app.maintenance.task_branches import branches_due
from assay.github_app.outcomes import evaluate_task
from assay.github_app.store import BranchState, TaskStatus
from tests.examples import sampled
from tests.github_app.rooms import Room


def told(room: Room, branch: str = "change", status: TaskStatus | None = TaskStatus.timed_out, **more) -> None:
    at = room.context.clock()
    room.store.tasks.put(room.repository_id, "T-1", at, branch=branch, status=status, **more)
    evaluate_task(room.store, room.repository_id, "T-1", at)


def state(room: Room) -> BranchState | None:
    task = room.store.tasks.get(room.repository_id, "T-1")
    assert task is not None
    return task.branch_state


def evidence(room: Room) -> list[str]:
    row = room.store.evaluations.get(room.repository_id, "T-1")
    assert row is not None
    return [one["text"] for one in row.failures[0]["evidence"]]


def test_partial_work_is_found_on_the_branch_and_followed(room: Room):
    told(room)
    assert evidence(room) == ["TIMED_OUT; partial work may be on change"]
    assert branches_due(room.context, 1) == 1
    assert state(room) == {
        "name": "change", "exists": True, "head_sha": room.head, "base": "main", "num_ahead": 1,
        "open_pull": room.number,
    }  # fmt: skip
    assert evidence(room) == ["TIMED_OUT", "partial work is on branch change: 1 commit ahead of main"]
    assert branches_due(room.context, 2) == 0

    head = room.push({"more.py": "y = 2\n"})
    pushed = room.heard("push", lambda payload: payload["after"] == head)
    assert isinstance(pushed, PushEvent)
    handle(pushed, room.context)
    assert evidence(room)[-1] == "partial work is on branch change: 2 commits ahead of main"

    room.github.close_pull(room.number)
    closed = room.heard("pull_request", lambda payload: payload["action"] == "closed")
    assert isinstance(closed, PullRequestEvent)
    handle(closed, room.context)
    now = state(room)
    assert now is not None
    assert (now["open_pull"], now["num_ahead"]) == (None, 2)
    room.github.delete_branch("change")
    handle(room.heard("push", lambda payload: payload["deleted"]), room.context)
    assert state(room) == {
        "name": "change", "exists": False, "head_sha": None, "base": "main", "num_ahead": None, "open_pull": None,
    }  # fmt: skip
    assert evidence(room)[-1] == "branch change does not exist: no partial work is on GitHub"


def test_a_failed_task_of_any_category_says_it_too(room: Room):
    told(room, status=TaskStatus.failed, error_message="clone failed: early EOF")
    assert branches_due(room.context, 1) == 1
    assert evidence(room)[-1] == "partial work is on branch change: 1 commit ahead of main"


def test_an_open_task_and_an_old_one_are_not_looked_up(room: Room):
    told(room, status=None)
    assert branches_due(room.context, 1) == 0
    at = room.context.clock() - timedelta(days=2)
    room.store.tasks.put(room.repository_id, "T-2", at, branch="change", status=TaskStatus.failed)
    assert branches_due(room.context, 1) == 0


def test_another_branch_is_another_state(room: Room):
    told(room)
    branches_due(room.context, 1)
    told(room, branch="elsewhere")
    assert state(room) is None
    branches_due(room.context, 1)
    now = state(room)
    assert now is not None
    assert (now["name"], now["exists"]) == ("elsewhere", False)


@pytest.mark.parametrize("branch", sampled(["../../../user", "a/../../b", "a b", "/a", "x?ref=main", "-f", "a\nb"], 2))
def test_a_name_that_no_branch_has_is_not_asked_for(room: Room, branch: str):
    told(room, branch=branch)
    before = len(room.github.requests)
    branches_due(room.context, 1)
    asked = [one.path for one in room.github.requests[before:] if one.path.startswith("/repos/")]
    assert asked == []
    now = state(room)
    assert now is not None
    assert now["exists"] is False
