"""Which event brings which work: nothing is validated here, only asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.github.events.parse import ACTIONS, parse
from assay.github_app.handlers import HANDLERS, MORE_TO_COME_S, handle
from assay.github_app.runtime.context import GATHER_S, Context
from assay.github_app.store import PublishedRow, RunState
from tests.github_app.payload_examples import examples
from tests.github_app.rooms import requested
from tests.github_app.stand_ins import AUTHOR, REPOSITORY, GithubOfPulls, context_in, payload, pull_facts, sha

ID = REPOSITORY.id


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    made = context_in(tmp_path / "data", GithubOfPulls())
    yield made
    made.queues.close()
    made.store.close()


def _hear(context: Context, event: str, data: dict[str, Any], delivery_id: str = "d-1") -> None:
    read = parse(event, json.dumps(data).encode(), delivery_id)
    assert read is not None
    handle(read, context)


def _jobs(context: Context) -> list[tuple[str, str]]:
    """(name, what of) of each job in line."""
    found = [(job.name, job.id) for job in context.queues.unended()]
    found += [(job.name, job.id) for job in requested(context.store)]
    return sorted((name, job_id.split(":", 1)[1]) for name, job_id in found)


def _report_of(run_id: str, context: Context, risk_level: str | None = None) -> None:
    context.store.runs.save_report(
        run_id,
        b"{}",
        conclusion="success",
        title="",
        risk_level=risk_level,
        is_hold=False,
        findings=(),
        factors=(),
        config_hash=None,
        durations_s={},
        at=context.clock(),
    )


def _run_in(context: Context, state: RunState, head: str, number: int = 1) -> str:
    run = context.store.runs.of_head(ID, number, head)
    assert run is not None
    context.store.runs.advance(run.id, state, context.clock())
    return run.id


@pytest.mark.soak
def test_every_event_that_is_understood_is_handled_and_the_ones_that_matter_bring_work(
    context: Context, monkeypatch: pytest.MonkeyPatch
):
    pressed: list[str] = []
    for name in ("press", "rerequested"):
        monkeypatch.setattr(f"assay.github_app.handlers.{name}", lambda event, _: pressed.append(event.about.action))
    monkeypatch.setattr("assay.github_app.handlers.answer", lambda event, _: pressed.append("comment"))
    monkeypatch.setattr(
        "assay.github_app.handlers.merge_queue.answer", lambda event, _: pressed.append(event.about.action)
    )
    num_handled = 0
    for number, (event, data) in enumerate(examples()):
        read = parse(event, json.dumps(data).encode(), f"example-{number}")
        if read is not None:
            handle(read, context)
            num_handled += 1
    assert num_handled == 90
    names = {name for name, _ in _jobs(context)}
    assert names == {"read_pulls", "learn_comment"}, "of the pull requests that are closed, none is validated"
    assert context.store.runs.latest(100)
    assert pressed.count("checks_requested") == 2
    assert pressed.count("comment") >= 3


def test_every_event_with_actions_is_in_the_register_or_only_recorded():
    handled = {kind.__name__ for kind in HANDLERS}
    assert {"PullRequestEvent", "CheckRunEvent", "MergeGroupEvent", "IssueCommentEvent"} <= handled
    assert len(ACTIONS) == 14


@pytest.mark.parametrize("action", ["opened", "reopened", "synchronize", "ready_for_review"])
def test_a_head_is_asked_for_once(context: Context, action: str):
    for delivery in ("one", "two"):
        _hear(context, "pull_request", payload(action, pull_facts(1, sha(10))), delivery)
    assert _jobs(context) == [("validate_head", f"run:{ID}:1:{sha(10)}:1:1")]


@pytest.mark.parametrize("action", ["edited", "labeled", "converted_to_draft"])
def test_what_changes_nothing_asks_for_nothing(context: Context, action: str):
    data = payload(action, pull_facts(1, sha(10))) | {"label": {"name": "good first issue"}}
    _hear(context, "pull_request", data)
    assert _jobs(context) == []


def test_drafts_are_validated_too(context: Context):
    data = payload("opened", pull_facts(1, sha(10)))
    data["pull_request"]["draft"] = True
    _hear(context, "pull_request", data)
    assert len(_jobs(context)) == 1


def test_a_paused_pull_request_is_left_alone(context: Context):
    context.store.pulls.pause(ID, 1, "rui", context.clock())
    _hear(context, "pull_request", payload("opened", pull_facts(1, sha(10))))
    assert _jobs(context) == []


@pytest.mark.soak
def test_another_base_is_validated_anew_once(context: Context):
    _hear(context, "pull_request", payload("opened", pull_facts(1, sha(10))))
    _run_in(context, RunState.completed, sha(10))
    data = payload("edited", pull_facts(1, sha(10), minute=1)) | {"changes": {"base": {"ref": {"from": "old"}}}}
    for _ in range(2):
        _hear(context, "pull_request", data, "the-edit")
    runs = context.store.runs.of_pull(ID, 1)
    assert [(run.turn, run.trigger) for run in runs] == [(1, "opened"), (2, "new_base")]


@pytest.mark.soak
def test_a_reordered_older_event_does_not_bring_back_the_older_head(context: Context):
    _hear(context, "pull_request", payload("synchronize", pull_facts(1, sha(11), minute=1)), "later")
    _hear(context, "pull_request", payload("opened", pull_facts(1, sha(10))), "earlier")
    assert [head for _, head in _jobs(context)] == [f"run:{ID}:1:{sha(11)}:1:1"]


@pytest.mark.parametrize(("who", "num_asked"), [("rui", 1), ("assay-test[bot]", 0)])
def test_our_label_is_put_right_when_somebody_else_touches_it(context: Context, who: str, num_asked: int):
    _hear(context, "pull_request", payload("opened", pull_facts(1, sha(10))))
    run_id = _run_in(context, RunState.running, sha(10))
    _report_of(run_id, context, risk_level="low")
    _run_in(context, RunState.completed, sha(10))
    data = payload("labeled", pull_facts(1, sha(10), minute=1)) | {"label": {"name": "risk:critical"}}
    data["sender"] = {"login": who, "id": 9, "type": "Bot" if "[" in who else "User"}
    _hear(context, "pull_request", data)
    assert len([name for name, _ in _jobs(context) if name == "publish_run"]) == num_asked


def _check(app_id: int | None, head: str, action: str = "completed") -> dict[str, Any]:
    return {
        "action": action,
        "repository": {"id": ID, "full_name": REPOSITORY.full_name},
        "installation": {"id": 42},
        "sender": {"login": AUTHOR.login, "id": AUTHOR.id},
        "check_run": {
            "id": 5,
            "name": "tests",
            "head_sha": head,
            "status": "completed",
            "conclusion": "success",
            "app": {"id": app_id, "slug": "ci"},
            "pull_requests": [],
        },
    }


@pytest.mark.parametrize(
    ("state", "app_id", "num_asked"),
    [
        (RunState.waiting, 1, 1),
        (RunState.completed, 1, 1),
        (RunState.running, 1, 0),
        (RunState.waiting, GithubOfPulls.app_id, 0),
    ],
)
def test_checks_of_others_bring_a_refresh_and_our_own_do_not(
    context: Context, state: RunState, app_id: int, num_asked: int
):
    """Also for the heads of forks, whose checks name no pull request."""
    _hear(context, "pull_request", payload("opened", pull_facts(1, sha(10))))
    _run_in(context, state, sha(10))
    for _ in range(3):
        _hear(context, "check_run", _check(app_id, sha(10)))
    asked = {name for name, _ in _jobs(context) if name == "publish_run"}
    assert len(asked) == num_asked


@pytest.mark.parametrize(
    ("check", "delay_s"),
    [
        ({}, MORE_TO_COME_S),
        ({"conclusion": "failure"}, GATHER_S),
        ({"status": "in_progress", "conclusion": None}, None),
    ],
)
def test_a_verdict_is_refreshed_after_what_changes_it(
    context: Context, monkeypatch: pytest.MonkeyPatch, check: dict[str, Any], delay_s: float | None
):
    _hear(context, "pull_request", payload("opened", pull_facts(1, sha(10))))
    _run_in(context, RunState.completed, sha(10))
    asked: list[tuple[str, float]] = []
    monkeypatch.setattr(Context, "ask_refresh", lambda *_, why, delay_s: asked.append((why, delay_s)))
    data = _check(1, sha(10))
    data["check_run"] |= check
    _hear(context, "check_run", data)
    assert asked == ([] if delay_s is None else [("checks", delay_s)])


@pytest.mark.parametrize(
    ("awaited", "check", "delay_s"),
    [
        (["tests"], {}, GATHER_S),
        (["lint", "tests"], {}, MORE_TO_COME_S),
        (["lint"], {}, MORE_TO_COME_S),
        ([], {}, GATHER_S),
        (["lint", "tests"], {"conclusion": "failure"}, GATHER_S),
        (["lint", "tests"], {"conclusion": "cancelled"}, GATHER_S),
        (["lint", "tests"], {"status": "in_progress", "conclusion": None}, None),
    ],
)
def test_a_check_that_is_not_the_last_is_gathered_with_more(
    context: Context, monkeypatch: pytest.MonkeyPatch, awaited: list[str], check: dict[str, Any], delay_s: float | None
):
    _hear(context, "pull_request", payload("opened", pull_facts(1, sha(10))))
    _run_in(context, RunState.waiting, sha(10))
    context.store.published.put(ID, 1, PublishedRow(sha(10), extra={"awaited": awaited}), context.clock())
    asked: list[float] = []
    monkeypatch.setattr(Context, "ask_refresh", lambda *_, why, delay_s: asked.append(delay_s))
    data = _check(1, sha(10))
    data["check_run"] |= check
    _hear(context, "check_run", data)
    assert asked == ([] if delay_s is None else [delay_s])
    suite = {**data, "check_suite": {"head_sha": sha(10), "app": {"id": 1}}}
    del suite["check_run"]
    _hear(context, "check_suite", suite)
    assert asked[-1] == GATHER_S, "the end of a suite"


@pytest.mark.soak
def test_a_check_that_ends_while_the_report_is_being_published_is_not_forgotten(context: Context):
    _hear(context, "pull_request", payload("opened", pull_facts(1, sha(10))))
    run_id = _run_in(context, RunState.running, sha(10))
    _report_of(run_id, context)
    _hear(context, "check_run", _check(1, sha(10)))
    assert [name for name, _ in _jobs(context) if name == "publish_run"] == ["publish_run"]


def test_checks_of_an_older_head_bring_nothing(context: Context):
    _hear(context, "pull_request", payload("opened", pull_facts(1, sha(10))))
    _run_in(context, RunState.waiting, sha(10))
    _hear(context, "pull_request", payload("synchronize", pull_facts(1, sha(11), minute=1)))
    before = _jobs(context)
    _hear(context, "check_run", _check(1, sha(10)))
    assert _jobs(context) == before


def test_new_repositories_are_looked_into(context: Context):
    data = {
        "action": "added",
        "installation": {"id": 42, "account": {"login": "acme"}},
        "repositories_added": [{"id": ID, "full_name": REPOSITORY.full_name}],
        "repositories_removed": [],
        "sender": {"login": "olivia", "id": 1},
    }
    _hear(context, "installation_repositories", data)
    assert _jobs(context) == [("read_pulls", f"{ID}:d-1")]


@pytest.mark.soak
def test_a_request_close_to_another_is_gathered_with_it(context: Context):
    run = context.ask_validation(ID, 1, sha(10), "opened")
    for _ in range(10):
        context.ask_refresh(run.id, delay_s=3600)
    assert len([job for job in context.queues.unended() if job.name == "publish_run"]) == 1
