"""When a pull request ends its task is evaluated, and each day what became of tasks is looked at again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assay.github.events.parse import parse
from assay.github_app.handlers import handle
from assay.github_app.maintenance.daily_review import NO_MODEL, look_back
from assay.github_app.maintenance.purge import purge
from assay.github_app.outcomes import take_feedback, take_traces
from assay.github_app.provenance.traces.trace_lines import read_traces
from assay.github_app.runtime.context import Context
from assay.github_app.store import OutcomeKind, TaskStatus
from tests.github_app.stand_ins import BEGAN, REPOSITORY, GithubOfPulls, context_in, payload, pull_facts, sha
from tests.github_app.traces.sessions import claude_code

ID = REPOSITORY.id
LATER = BEGAN + timedelta(hours=1)


@pytest.fixture
def make_context(tmp_path: Path) -> Iterator[Any]:
    made: list[Context] = []

    def make(**settings: Any) -> Context:
        made.append(context_in(tmp_path / "data", GithubOfPulls(), **settings))
        return replace(made[-1], clock=lambda: LATER)

    yield make
    for context in made:
        context.queues.close()
        context.store.close()


def hear(context: Context, action: str, minute: int, **more: Any) -> None:
    facts = pull_facts(1, sha(10), minute=minute, body="Task-Id: T-1\n\n## Agent notes\nLacked a map.", **more)
    data = payload(action, facts)
    data["pull_request"] |= {"closed_at": data["pull_request"]["updated_at"] if more.get("state") == "closed" else None}
    event = parse("pull_request", json.dumps(data).encode(), f"d-{action}")
    assert event is not None
    handle(event, context)


def test_a_closed_pull_request_has_its_task_evaluated_with_what_the_agent_noted(make_context: Any):
    context = make_context()
    hear(context, "opened", 0)
    assert context.store.evaluations.get(ID, "T-1") is None
    hear(context, "closed", 5, state="closed")
    row = context.store.evaluations.get(ID, "T-1")
    assert row is not None
    assert (row.is_success, row.category, row.number) == (False, "unknown", 1)
    (note,) = context.store.insights.newest(ID, 5, is_trusted=None)
    assert (note.text, note.task_id, note.source) == ("Lacked a map.", "T-1", "pull_body")


def test_a_merge_that_was_reverted_is_no_success_the_day_after(make_context: Any):
    context = make_context()
    hear(context, "closed", 5, state="closed", is_merged=True, merged_at=BEGAN)
    good = context.store.evaluations.get(ID, "T-1")
    assert good is not None
    assert good.is_success
    context.store.outcomes.put(ID, 1, OutcomeKind.reverted, sha(10), BEGAN + timedelta(minutes=30), cause="#2")
    tomorrow = replace(context, clock=lambda: LATER + timedelta(hours=20))
    assert re.findall(r"\d+", look_back(tomorrow))[:3] == ["1", "0", "2"]
    row = context.store.evaluations.get(ID, "T-1")
    assert row is not None
    assert (row.is_success, row.category) == (False, "reasoning_error")


def test_a_model_without_its_key_costs_nothing_and_stops_nothing(
    make_context: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    context = make_context(evaluation_model="some-model")
    context.store.tasks.put(ID, "T-1", BEGAN, status=TaskStatus.failed)
    assert re.findall(r"\d+", look_back(context)) == ["0", "0", "0"]
    assert NO_MODEL in caplog.text


def test_traces_are_forgotten_with_everything_else_that_is_old(make_context: Any):
    context = make_context()
    context.store.repositories.put(REPOSITORY, 42, BEGAN)
    row = context.store.repositories.get(ID)
    assert row is not None
    read = read_traces(claude_code(), "f")
    take_traces(context.store, row, read.traces, BEGAN, told_by="x", task_id="T-1")
    take_feedback(context.store, ID, "Lacked a map.", BEGAN, source="api", seen_at=BEGAN, task_id="T-1")
    purge(context, "today")
    assert len(context.store.traces.of_task(ID, "T-1")) == 1
    purge(replace(context, clock=lambda: BEGAN + timedelta(days=91)), "today")
    assert context.store.traces.of_task(ID, "T-1") == ()
    assert len(context.store.insights.of_task(ID, "T-1")) == 1  # what was learned stays
