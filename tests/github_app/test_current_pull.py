"""A pull request as it is now, whether its webhooks came or not; and how many requests to GitHub a head takes."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from assay.github.client import Repo
from assay.github.events.model import PullFacts
from assay.github_app.outcomes.record.recording import record
from assay.github_app.runs.current import current_pull
from assay.github_app.runs.publisher import RunPublisher
from assay.github_app.runs.required_checks import MOST_AGE, required_checks
from assay.github_app.runs.steps import RunSteps, Step
from assay.github_app.runtime.context import Context
from assay.github_app.store import RunRow, RunState
from assay.validators.report.model import Commit
from tests.examples import sampled
from tests.github_app.publish.reports import fine
from tests.github_app.rooms import Room
from tests.github_app.stand_ins import somebody


class ReportOf:
    """Validator that finds nothing, as the room stores its reports."""

    def __init__(self, room: Room) -> None:
        self.room = room

    def validate(
        self, run: RunRow, pull: PullFacts, context: Context, stop: threading.Event, on_started: Callable[[int], None]
    ) -> None:
        assert pull.base_tip in (None, self.room.repository.git("rev-parse", "main").strip())
        base = Commit(pull.base_sha, pull.base_ref)
        self.room.validated(replace(fine(run.head_sha), base=base, merge_base=pull.base_sha), state=run.state)


def begun(room: Room) -> RunRow:
    return room.store.runs.begin(*room.place, room.head, "opened", datetime.now(UTC))[0]


def asked_since(room: Room, start: int) -> Counter[str]:
    """The requests since then that count towards a limit of the installation, by their last fixed part."""
    counted = (one for one in room.github.requests[start:] if not one.path.startswith("/app"))
    return Counter(f"{one.method} {_shape(one.path)}" for one in counted)


def _shape(path: str) -> str:
    parts = path.strip("/").split("/")[3:] or [path]
    return "/".join("*" if part.isdecimal() else part for part in parts)


def carried_out(room: Room, head: str) -> Counter[str]:
    """The requests that a head takes from its job to its verdict."""
    steps = RunSteps(room.context, ReportOf(room), RunPublisher(), somebody())
    room.context.github.us()
    start = len(room.github.requests)
    run, _ = room.store.runs.begin(*room.place, head, "opened", datetime.now(UTC))
    assert [steps.begin(run.id), steps.validate(run.id), steps.publish(run.id)] == [
        Step.validate,
        Step.publish,
        Step.nothing,
    ]
    (check,) = room.github.check_runs(head, name="Assay")
    assert check["conclusion"] == "success"
    return asked_since(room, start)


PUSHED = {"POST /graphql": 2, "POST check-runs": 1, "PATCH check-runs/*": 1}


def test_a_head_takes_two_requests_and_two_points_of_graphql(room: Room):
    first = carried_out(room, room.head)
    once = {"GET labels/risk%3Alow": 1, "POST labels": 1, "GET branches/main": 1}
    assert first == {**PUSHED, **once, "POST issues/*/labels": 1}, "only the first head of a repository takes these"
    labelled = room.heard("pull_request", lambda payload: payload["action"] == "labeled")
    record(labelled, room.store, datetime.now(UTC))
    assert carried_out(room, room.push({"app.py": "x = 2\n"})) == PUSHED


def test_checks_that_pass_while_others_run_are_not_written_one_by_one(room: Room):
    def refreshed() -> Counter[str]:
        start = len(room.github.requests)
        steps.publish(run.id)
        return Counter(one for one in asked_since(room, start).elements() if one.startswith("PATCH check-runs"))

    def summary() -> str:
        (check,) = room.github.check_runs(room.head, name="Assay")
        return f"{check['conclusion']} {check['output']['summary']}"

    steps = RunSteps(room.context, ReportOf(room), RunPublisher(), somebody())
    run = begun(room)
    steps.begin(run.id)
    steps.validate(run.id)
    checks = {name: room.github.check(room.head, name, None) for name in ("lint", "build", "tests", "docs")}
    one_write = Counter({"PATCH check-runs/*": 1})
    assert refreshed() == one_write
    for name in ("lint", "build"):
        room.github.finish_check(checks[name], "success")
        assert refreshed() == {}
    assert room.store.published.get(*room.place).extra["awaited"] == ["docs", "tests"]
    room.github.finish_check(checks["tests"], "failure")
    assert refreshed() == one_write
    assert summary().startswith("None ")
    assert "tests" in summary().split("`docs`")[1]
    room.github.finish_check(checks["docs"], "success")
    assert refreshed() == one_write
    assert summary().startswith("neutral ")


@pytest.mark.parametrize(
    ("minutes", "is_required", "num_read"), [(9, True, 0), (11, True, 1), (59, False, 0), (61, False, 1)]
)
def test_what_a_branch_requires_is_read_once_for_all_its_heads(
    room: Room, minutes: int, is_required: bool, num_read: int
):
    """While the verdict waits for one of the names, they are read more often: it may not be required any more."""

    def asked(head: str) -> int:
        run, _ = room.store.runs.begin(*room.place, head, "opened", datetime.now(UTC))
        steps.begin(run.id)
        steps.validate(run.id)
        start = len(room.github.requests)
        steps.publish(run.id)
        return asked_since(room, start)["GET branches/main"]

    steps = RunSteps(room.context, ReportOf(room), RunPublisher(), somebody())
    repository_id, _ = room.place
    if is_required:
        room.github.require_checks("tests")
    assert [asked(room.head), asked(room.push({"app.py": "x = 2\n"}))] == [1, 0]
    is_awaited = room.store.published.get(*room.place).extra["awaited"] == ["tests"]
    assert is_awaited is is_required
    repositories, at = room.store.repositories, datetime.now(UTC) - timedelta(minutes=minutes)
    repositories.keep_required_checks(repository_id, "main", ["tests"] if is_required else [], at, at)
    room.github.require_checks()
    assert asked(room.push({"app.py": "x = 3\n"})) == num_read
    awaited = room.store.published.get(*room.place).extra["awaited"]
    assert awaited == (["tests"] if is_required and num_read == 0 else [])


def test_rule_sets_are_read_where_the_query_did_not_and_never_kept(room: Room):
    class Rules:
        """GitHub's answers for a branch with both."""

        protection: frozenset[str] | None = frozenset({"protected"})

        def checks_by_rules(self, branch: str) -> frozenset[str]:
            return frozenset({f"rules of {branch}"})

        def checks_by_protection(self, branch: str) -> frozenset[str] | None:
            return self.protection

    def asked(by_rules: frozenset[str] | None) -> set[str]:
        return set(required_checks(room.context, room.place[0], rules, "main", by_rules, MOST_AGE))  # type: ignore[arg-type]

    rules = Rules()
    rules.protection = None
    assert asked(frozenset()) == set()
    rules.protection = frozenset({"protected"})
    assert asked(frozenset({"new"})) == {"protected", "new"}, "an answer that may not be read is not kept"
    rules.protection = frozenset()
    assert asked(None) == {"protected", "rules of main"}
    assert asked(frozenset()) == {"protected"}


@pytest.mark.parametrize("end", ["final", "failed", "cancelled"])
def test_while_requests_run_short_the_check_run_is_made_with_the_first_result(
    room: Room, monkeypatch: pytest.MonkeyPatch, end: str
):
    monkeypatch.setattr(Repo, "is_hurried", True)
    steps = RunSteps(room.context, ReportOf(room), RunPublisher(), somebody())
    start = len(room.github.requests)
    run = begun(room)
    assert steps.begin(run.id) is Step.validate
    assert room.github.check_runs(room.head, name="Assay") == []
    if end == "final":
        steps.validate(run.id)
    else:
        room.store.runs.advance(run.id, RunState[end], datetime.now(UTC), error="out of memory")
    for _ in range(2):
        steps.publish(run.id)
    asked = asked_since(room, start)
    found = [check["conclusion"] for check in room.github.check_runs(room.head, name="Assay")]
    assert found == {"final": ["success"], "failed": ["failure"], "cancelled": []}[end]
    assert asked["POST check-runs"] == len(found)
    if end == "final":
        assert asked["PATCH check-runs/*"] == 0
        assert asked[f"GET commits/{room.head}/check-runs"] == 0


def test_a_resumed_or_repeated_run_shows_that_it_began_although_requests_run_short(
    room: Room, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Repo, "is_hurried", True)
    steps = RunSteps(room.context, ReportOf(room), RunPublisher(), somebody())
    run = begun(room)
    for num_shown in (0, 1):
        steps.begin(run.id)
        assert len(room.github.check_runs(room.head, name="Assay")) == num_shown


def test_without_graphql_the_verdict_is_the_same(room: Room):
    room.github.front.fault("POST /graphql", 502, times=99)
    asked = carried_out(room, room.head)
    assert asked["GET pulls/*"] == 2
    assert asked[f"GET commits/{room.head}/check-runs"] == 1


def test_facts_that_github_confirms_are_those_it_would_send(room: Room):
    found = current_pull(room.context, begun(room)).pull
    whole = room.pull()
    assert replace(found, head_repository=None, base_tip=None) == replace(
        whole, head_repository=None, assignees=(), num_added=None, num_removed=None
    )
    assert found.is_fork is whole.is_fork


@pytest.mark.parametrize("change", sampled(["title", "state", "base", "draft", "label", "head"], 3))
def test_a_change_whose_webhook_was_lost_is_read_whole(room: Room, change: str):
    room.repository.branch("other", "main")
    room.github.push(room.repository, "other")
    path = f"/repos/{room.full_name}/pulls/{room.number}"
    run = begun(room)
    if change == "head":
        room.repository.git("checkout", "-q", "change")
        room.repository.commit("More", {"app.py": "x = 9\n"})
        room.github.push(room.repository, "change")
    elif change == "label":
        room.github.as_person("ada", "POST", f"/repos/{room.full_name}/issues/{room.number}/labels", {"labels": ["x"]})
    elif change == "draft":
        room.github.mark_draft(room.number)
    else:
        new = {"title": "Another", "state": "closed", "base": "other"}[change]
        room.github.as_person("ada", "PATCH", path, {change: new})
    start = len(room.github.requests)
    found = current_pull(room.context, run).pull
    assert asked_since(room, start)["GET pulls/*"] == 1
    assert replace(found, base_tip=None) == room.pull()
    row = room.store.pulls.get(*room.place)
    assert row is not None
    assert (row.head_sha, row.title, row.base_ref, row.state) == (
        found.head_sha,
        found.title,
        found.base_ref,
        found.state,
    )
