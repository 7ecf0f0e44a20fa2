"""What GitHub refuses and then does: its replicas lag behind a push, a webhook or a new token, or access was away."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from unittest.mock import Mock

import pytest

from assay.github.client import CheckOutput, CheckStatus
from assay.github.errors import GithubRefused
from assay.github.events.model import PullFacts
from assay.github.events.parse import parse
from assay.github_app.handlers import handle
from assay.github_app.maintenance.sweep import read_pulls, request_runs
from assay.github_app.runs.publisher import RunPublisher
from assay.github_app.runs.steps import RunSteps
from assay.github_app.runtime.context import Context, validation_job
from assay.github_app.runtime.retries import MOST_REFUSALS
from assay.github_app.server.workflows import Workflows
from assay.github_app.store import RunRow, RunState
from assay.validators.report.model import Commit, Conclusion, Finding, Severity, Tier
from tests.github_app.publish.reports import with_findings
from tests.github_app.rooms import Room, later
from tests.github_app.stand_ins import somebody

CONFIGURATION = {"mode": "enforce", "handBack": "auto", "comments": "all", "maxFixCyclesPerTier": 10}


@dataclass
class Jobs:
    """Does the jobs of a room without waiting; `waits` are the seconds that they were put off."""

    room: Room
    waits: list[float] = field(default_factory=list)
    done: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        context = self.room.context
        steps = RunSteps(context, self, RunPublisher(), somebody())
        self._bodies: dict[str, Callable[..., str]] = {
            name: getattr(Workflows(context, steps, Mock(), somebody(), lambda _, act: act()), name)
            for name in ("validate_head", "publish_run")
        }
        self._bodies["read_pulls"] = lambda *arguments: read_pulls(context, *arguments)

    def validate(
        self, run: RunRow, pull: PullFacts, context: Context, stop: threading.Event, on_started: Callable[[int], None]
    ) -> None:
        """Find something that blocks, and that goes back to the agent."""
        base = Commit(pull.base_sha, "main")
        found = Finding(Tier.quality, Severity.error, "complexity", "app.py", "complex", 1, context=run.head_sha)
        report = replace(
            with_findings([found], run.head_sha), base=base, merge_base=base.sha, mode="enforce",
            conclusion=Conclusion.failure,
        )  # fmt: skip
        settings = {**report.settings, "configuration": CONFIGURATION}
        self.room.validated(replace(report, settings=settings), state=RunState.running)

    def do_all(self) -> None:
        """Do the jobs until none is left, each id once."""
        store, queues = self.room.store, self.room.queues
        while True:
            admitted = store.requests.admit(9, later(30 * 86_400), lambda _: 1.0)
            self.waits += [s for row in admitted if (s := (row.due_at - row.asked_at).total_seconds())]
            jobs = [validation_job(row) for row in admitted]
            jobs += [job for job in queues.put_in if job.id not in self.done]
            if not jobs:
                return
            for job in jobs:
                self.waits += [job.delay_s] if job.delay_s else []
                self.done.add(job.id)
                self._bodies[job.name](*job.arguments)

    def ask(self, head: str) -> RunRow:
        """Have a head validated; its run then."""
        self.room.context.ask_validation(*self.room.place, head, "opened")
        self.do_all()
        return self.run(head)

    def run(self, head: str) -> RunRow:
        found = self.room.store.runs.of_head(*self.room.place, head)
        assert found is not None
        return found


@pytest.fixture
def jobs(room: Room) -> Jobs:
    return Jobs(room)


def published(jobs: Jobs, head: str) -> tuple[list[str | None], int, int, int]:
    """The conclusions of our Check Runs; how many labels, requests for a fix and summaries there are."""
    github, number = jobs.room.github, jobs.room.number
    checks = [one["conclusion"] for one in github.check_runs(head, name="Assay")]
    bodies = [one["body"] for one in jobs.room.ours()]
    fixes = [one for one in bodies if one.startswith(f"<!-- assay:fix {head}")]
    summaries = [one for one in bodies if not one.startswith("<!-- assay:fix ")]
    labels = [one for one in github.labels(number) if one.startswith("risk:")]
    return checks, len(labels), len(fixes), len(summaries)


def test_one_refusal_of_any_request_leaves_no_trace(jobs: Jobs):
    room = jobs.room
    refusals = (
        (r"POST .*/issues/\d+/labels", 404, False),
        (r"POST .*/issues/\d+/comments", 403, False),
        (r"PATCH .*/comments", 422, False),
        (r"POST .*/check-runs$", 403, False),
        (r"POST .*/check-runs$", 404, False),
        (r"POST .*/check-runs$", 422, False),
        (r"PATCH .*/check-runs/", 404, False),
        (r"POST .*/access_tokens", 422, False),
        # Refused, and done all the same.
        (r"POST .*/check-runs$", 409, True),
    )
    for number, (request, status, is_done) in enumerate(refusals):
        head = room.push({"app.py": f"x = {number + 10}\n"})
        for label in room.github.labels(room.number):
            room.github.as_person("olivia", "DELETE", f"/repos/{room.full_name}/issues/{room.number}/labels/{label}")
        room.context.github._kept_auth.cache_clear()
        jobs.waits.clear()
        fault = room.github.front.fault(request, status, after=is_done)
        run = jobs.ask(head)
        assert fault.num_done == 1, (request, status)
        assert (run.state, run.error) == (RunState.completed, None), (request, status)
        assert published(jobs, head) == (["failure"], 1, 1, 1), (request, status)
        assert jobs.waits in ([8.0], []), (request, status)


def tokens_made(room: Room) -> int:
    return sum(one.path.endswith("/access_tokens") for one in room.github.requests)


def test_a_token_that_is_refused_is_replaced(jobs: Jobs):
    room = jobs.room
    with room.context.repo(room.repository_id) as repo:
        for status, num_made in ((404, 1), (403, 2)):
            room.github.front.fault(r"POST .*/check-runs$", status)
            with pytest.raises(GithubRefused):
                repo.create_check(room.head, CheckOutput(CheckStatus.queued, "t", "s"), "x")
            repo.labels(room.number)
            assert tokens_made(room) == num_made
    # The flow of a revoked token stays: a new one at once, and nothing is put off.
    room.github.revoke_tokens()
    assert jobs.ask(room.head).state is RunState.completed
    assert jobs.waits == []


def test_a_refusal_that_stays_ends_within_a_minute_and_is_asked_again_so_often(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
):
    room, context = jobs.room, jobs.room.context
    fault = room.github.front.fault(r"(POST /graphql|GET .*/pulls/\d+$)", 404, times=99)
    run = jobs.ask(room.head)
    assert (run.state, jobs.waits) == (RunState.failed, [8.0, 16.0, 32.0])
    assert published(jobs, room.head) == (["failure"], 0, 0, 0)
    (check,) = room.github.check_runs(room.head, name="Assay")
    assert run.incident is not None
    assert run.incident in check["output"]["title"] + check["output"]["summary"]
    monkeypatch.setattr("assay.github_app.maintenance.sweep.MOST_REFUSED_RUNS", 2)
    assert request_runs(context, room.repository_id) == 1
    jobs.do_all()
    assert jobs.run(room.head).state is RunState.failed
    assert request_runs(context, room.repository_id) == 0
    monkeypatch.undo()
    fault.times = 0
    assert request_runs(context, room.repository_id) == 1
    jobs.do_all()
    assert jobs.run(room.head).state is RunState.completed
    assert published(jobs, room.head) == (["failure"], 1, 1, 1)
    assert request_runs(context, room.repository_id) == 0


def test_a_run_that_failed_otherwise_is_not_asked_again(jobs: Jobs):
    run = jobs.room.context.ask_validation(*jobs.room.place, jobs.room.head, "opened")
    jobs.room.store.runs.advance(run.id, RunState.failed, later(0), error="ValidationFailed: out of memory")
    assert request_runs(jobs.room.context, jobs.room.repository_id) == 0


def test_a_missing_permission_is_named_within_a_minute(jobs: Jobs):
    jobs.room.github.grant(checks=None)
    run = jobs.ask(jobs.room.head)
    assert run.state is RunState.failed
    assert (run.error or "").startswith("PermissionMissing: github.missing-permission: ")
    assert jobs.waits[:3] == [8.0, 16.0, 32.0]


def test_a_label_that_stays_refused_costs_a_minute_and_not_the_verdict(jobs: Jobs):
    room = jobs.room
    fault = room.github.front.fault(r"POST .*/labels", 403, times=99)
    assert jobs.ask(room.head).state is RunState.completed
    assert (jobs.waits, fault.num_done) == ([8.0, 16.0, 32.0], MOST_REFUSALS)
    assert published(jobs, room.head) == (["failure"], 0, 1, 1)
    # What was refused throughout is not retried for a minute again.
    jobs.waits.clear()
    assert jobs.ask(room.push({"app.py": "x = 2\n"})).state is RunState.completed
    assert (jobs.waits, fault.num_done) == ([], MOST_REFUSALS + 1)


@pytest.mark.parametrize("kind", ["suspended", "removed"])
def test_access_that_comes_back_brings_the_head_that_was_refused(jobs: Jobs, kind: str):
    room, store = jobs.room, jobs.room.store
    facts = store.repositories.get(room.repository_id).facts  # type: ignore[union-attr]
    installation = {"id": room.github.installation_id, "account": {"login": "acme"}}
    sender = {"login": "olivia", "id": 1}
    if kind == "suspended":
        room.github.suspend()
        back: dict[str, Any] = {"action": "unsuspend"}  # GitHub lists no repositories here
    else:
        store.repositories.remove(facts, room.github.installation_id, later(0))
        listed = [{"id": facts.id, "full_name": facts.full_name}]
        back = {"action": "added", "repositories_added": listed, "repositories_removed": []}
    assert jobs.ask(room.head).state is RunState.failed
    assert room.github.check_runs(room.head, name="Assay") == []
    if kind == "suspended":
        room.github.suspend(undo=True)
    payload = json.dumps({**back, "installation": installation, "sender": sender}).encode()
    event = parse("installation" if kind == "suspended" else "installation_repositories", payload, "d-back")
    assert event is not None
    fault = room.github.front.fault(r"GET .*/pulls$", 403)
    handle(event, room.context)
    handle(event, room.context)
    jobs.do_all()
    assert (jobs.run(room.head).state, fault.num_done) == (RunState.completed, 1)
    assert published(jobs, room.head) == (["failure"], 1, 1, 1)
