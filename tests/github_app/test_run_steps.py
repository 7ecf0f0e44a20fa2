"""Steps of a validation run without the engine that calls them: what ends a run, and what is published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from assay.github_app.ops import observability
from assay.github_app.runs.steps import RunSteps, Step
from assay.github_app.store import RunRow, RunState
from tests.github_app.rooms import NotedQueues
from tests.github_app.stand_ins import (
    BEGAN,
    REPOSITORY,
    GithubOfPulls,
    NotingPublisher,
    WaitingValidator,
    context_in,
    pull_facts,
    sha,
    somebody,
)

ID = REPOSITORY.id


class Steps:
    """The steps of runs over a store, with nothing that calls them."""

    def __init__(self, folder: Path) -> None:
        self.github = GithubOfPulls()
        self.opened = context_in(folder, self.github)
        self.queues = NotedQueues(self.opened.store)
        self.context = replace(self.opened, queues=self.queues)  # type: ignore[arg-type]
        self.store = self.context.store
        self.store.repositories.put(REPOSITORY, 42, BEGAN)
        self.validator, self.publisher = WaitingValidator(), NotingPublisher()
        self.validator.go.set()
        self.steps = RunSteps(self.context, self.validator, self.publisher, somebody())

    def begun(self, **pull: Any) -> RunRow:
        """A run of head 10, after which the pull request came to look like this."""
        self.github.pulls[1] = pull_facts(1, **{"head": sha(10), **pull})
        return self.store.runs.begin(ID, 1, sha(10), "opened", BEGAN)[0]

    def report(self, run: RunRow) -> None:
        self.validator.validate(run, self.github.pulls[1], self.context, Event(), lambda _: None)

    def state(self, run: RunRow) -> RunState | None:
        row = self.store.runs.get(run.id)
        return row.state if row else None


@pytest.fixture
def steps(tmp_path: Path) -> Iterator[Steps]:
    made = Steps(tmp_path)
    yield made
    made.opened.queues.close()
    made.store.close()


def counted(state: str) -> float:
    return float(observability.RUNS.labels(state)._value.get())


@pytest.mark.parametrize("step", ["begin", "validate"])
@pytest.mark.parametrize(
    ("pull", "is_paused", "state", "asked"),
    [
        ({"head": sha(11)}, False, RunState.superseded, [sha(11)]),
        ({"head": sha(11)}, True, RunState.superseded, []),
        ({"head": sha(11), "state": "closed"}, False, RunState.superseded, []),
        ({"state": "closed"}, False, RunState.cancelled, []),
        ({}, True, RunState.cancelled, []),
    ],
)
def test_a_run_that_makes_no_sense_any_more_is_ended_and_counted_once(
    steps: Steps, step: str, pull: dict[str, Any], is_paused: bool, state: RunState, asked: list[str]
):
    run = steps.begun(**pull)
    if is_paused:
        steps.store.pulls.see(steps.github.pulls[1], REPOSITORY, BEGAN)
        assert steps.store.pulls.pause(ID, 1, "bo", BEGAN)
    before = counted(state)
    assert getattr(steps.steps, step)(run.id) is Step.conclude
    assert (steps.state(run), counted(state)) == (state, before + 1)
    assert steps.validator.at_work == set()
    assert steps.publisher.said == {}
    validated = [steps.store.runs.get(str(job.arguments[0])) for job in steps.queues.of("validate_head")]
    assert [one.head_sha for one in validated if one] == asked


def test_runs_that_an_event_ends_are_counted(steps: Steps):
    steps.begun()
    before = counted("superseded"), counted("cancelled")
    steps.context.supersede_runs(ID, 1, sha(11))
    steps.context.ask_validation(ID, 1, sha(11), "opened")
    steps.context.cancel_runs(ID, 1, "closed")
    steps.context.cancel_runs(ID, 1, "closed")
    assert (counted("superseded"), counted("cancelled")) == (before[0] + 1, before[1] + 1)


def test_a_run_that_another_process_ended_meanwhile_is_not_counted_again(steps: Steps, monkeypatch: pytest.MonkeyPatch):
    run = steps.begun(head=sha(11))
    monkeypatch.setattr(steps.store.runs, "advance", lambda *_, **__: False)
    before = counted("superseded")
    assert steps.steps.begin(run.id) is Step.conclude
    assert counted("superseded") == before


def test_a_run_without_a_report_is_not_published(steps: Steps):
    run = steps.begun()
    assert steps.steps.publish(run.id) is Step.nothing
    assert (steps.publisher.said, steps.state(run)) == ({}, RunState.queued)


def test_a_report_of_an_older_head_is_not_published_and_its_check_run_says_why(steps: Steps):
    run = steps.begun()
    assert steps.steps.begin(run.id) is Step.validate
    steps.report(run)
    steps.github.pulls[1] = pull_facts(1, sha(11), minute=1)
    before = counted("superseded")
    assert steps.steps.publish(run.id) is Step.nothing
    assert steps.publisher.of(sha(10)) == ["in_progress", f"superseded: {sha(11)}"]
    assert (steps.state(run), counted("superseded")) == (RunState.superseded, before + 1)


def test_a_verdict_that_is_out_stays_when_a_newer_head_comes(steps: Steps):
    run = steps.begun()
    steps.steps.begin(run.id)
    steps.report(run)
    assert steps.steps.publish(run.id) is Step.nothing
    steps.github.pulls[1] = pull_facts(1, sha(11), minute=1)
    before = counted("superseded")
    assert steps.steps.publish(run.id) is Step.nothing
    assert (steps.state(run), counted("superseded")) == (RunState.completed, before)
    assert steps.publisher.of(sha(10)) == ["in_progress", "final"]


@pytest.mark.parametrize("when", ["read", "published"])
def test_a_run_that_a_webhook_ends_while_it_is_published_is_concluded(
    steps: Steps, when: str, monkeypatch: pytest.MonkeyPatch
):
    """The webhook of the newer head leaves a running run to its job; the Check Run may not stay in progress."""
    run = steps.begun()
    steps.steps.begin(run.id)
    steps.report(run)

    def superseded() -> None:
        steps.github.pulls[1] = pull_facts(1, sha(11), minute=1)
        steps.context.supersede_runs(ID, 1, sha(11))

    if when == "read":
        read = steps.github.repository

        def read_late(*arguments: Any, **more: Any) -> Any:
            superseded()
            return read(*arguments, **more)

        monkeypatch.setattr(steps.github, "repository", read_late)
    else:
        steps.publisher.waits_until = BEGAN + timedelta(days=10_000)
        publish = steps.publisher.publish

        def publish_late(*arguments: Any) -> bool:
            is_final = publish(*arguments)
            superseded()
            return is_final

        monkeypatch.setattr(steps.publisher, "publish", publish_late)
    assert steps.steps.publish(run.id) is Step.nothing
    assert steps.publisher.of(sha(10))[-1] == f"superseded: {sha(11)}"
    assert steps.state(run) is RunState.superseded


def test_a_late_conclusion_does_not_replace_the_verdict_of_a_later_turn(steps: Steps):
    """A job that GitHub's trouble delayed concludes its cancelled run after another turn took over the Check Run."""
    first = steps.begun()
    steps.steps.begin(first.id)
    steps.store.runs.advance(first.id, RunState.cancelled, BEGAN, error="the configuration changed")
    second, _ = steps.store.runs.begin(ID, 1, sha(10), "configuration", BEGAN)
    steps.steps.conclude(first.id)  # nobody else would: the later turn may end before it starts
    steps.steps.begin(second.id)
    steps.report(second)
    steps.steps.publish(second.id)
    for late in (steps.steps.conclude, steps.steps.publish):
        assert late(first.id) is Step.nothing
    assert steps.publisher.said == {
        first.external_id: ["in_progress", "cancelled: the configuration changed"],
        second.external_id: ["in_progress", "final"],
    }


def test_progress_is_not_shown_once_there_is_a_verdict(steps: Steps):
    run = steps.begun()
    steps.report(run)
    steps.publisher.waits_until = BEGAN + timedelta(hours=1)
    assert steps.steps.publish(run.id, is_progress=True) is Step.nothing
    assert steps.publisher.of(sha(10)) == ["waiting"]
    steps.publisher.waits_until = None
    for is_progress in (False, True, False):
        assert steps.steps.publish(run.id, is_progress=is_progress) is Step.nothing
    assert steps.publisher.of(sha(10)) == ["waiting", "final", "final"]
