"""The configuration in force is the one at the tip of the base branch, at each run: no laxer or broken one stays.

GitHub's `base.sha` stays where the branch was when the pull request was last pushed to, and so does the fake's.
"""

from __future__ import annotations

import dataclasses
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.github.authority import Act
from assay.github.events.model import CheckRunEvent, PushEvent
from assay.github_app.handlers import handle
from assay.github_app.ops.settings import Settings
from assay.github_app.outcomes.record.recording import record
from assay.github_app.runs.validate_head import HeadValidator
from assay.github_app.store import RunRow, RunState
from assay.validators import ValidationReport, read_report
from tests.github_app.rooms import Room

STRICT = "mode: enforce\ntier3: {riskThresholdForHold: high}\ntier1: {enabled: false}\ntier2: {enabled: false}\n"
LAX = "mode: advisory\ntier1: {enabled: false}\ntier2: {enabled: false}\n"
BROKEN = "mode: stern\n"


def merged(room: Room, config: str, name: str = ".github/assay.yml") -> PushEvent:
    """The base branch moves on by a configuration; the pull request does not."""
    room.repository.switch("main")
    sha = room.repository.commit(f"Configure {len(config)}", {name: config})
    room.github.push(room.repository, "main")
    event = room.heard("push", lambda payload: payload["after"] == sha)
    assert isinstance(event, PushEvent)
    record(event, room.store, datetime.now(UTC))
    return event


def validated(room: Room, folder: Path) -> ValidationReport:
    """The report of the newest run, which is made as a worker makes it."""
    settings = Settings(data_dir=folder, github_url=room.github.url, github_api_url=room.github.url)
    run = room.store.runs.newest(*room.place)
    assert run is not None
    room.store.runs.advance(run.id, RunState.running, datetime.now(UTC))
    context = dataclasses.replace(room.context, settings=settings)
    HeadValidator(settings).validate(run, room.pull(), context, threading.Event(), lambda _: None)
    room.store.runs.advance(run.id, RunState.completed, datetime.now(UTC))
    data = room.store.runs.report(run.id)
    assert data is not None
    return read_report(data)


def runs(room: Room) -> list[RunRow]:
    return list(room.store.runs.of_pull(*room.place))


@pytest.mark.soak
@pytest.mark.timeout(400)
def test_each_run_is_validated_under_the_configuration_at_the_tip(room: Room, tmp_path: Path):
    """Broken, mended, tightened on the base, by "Re-run" and by command, while nobody pushes to the pull request."""
    room.say("ada", f"/assay {Act.rerun}")
    stale = room.pull().base_sha
    merged(room, BROKEN)
    report = validated(room, tmp_path)
    assert report.configuration_at_fault
    merged(room, LAX)
    room.say("ada", f"/assay {Act.rerun}")
    report = validated(room, tmp_path)
    assert (report.configuration_at_fault, report.mode, report.settings["hold_at"]) == (False, "advisory", "critical")
    merged(room, STRICT)
    pressed = room.pressed("mary", "rerun")
    again = dataclasses.replace(pressed, about=dataclasses.replace(pressed.about, action="rerequested"))
    assert isinstance(again, CheckRunEvent)
    handle(again, room.context)
    report = validated(room, tmp_path)
    assert (report.configuration_at_fault, report.mode, report.settings["hold_at"]) == (False, "enforce", "high")
    assert room.pull().base_sha == stale, "this test is about a base that GitHub tells as it was"


@pytest.mark.parametrize("before", [None, LAX, BROKEN])
def test_a_push_that_changes_the_configuration_has_open_pull_requests_validated_again(room: Room, before: str | None):
    if before is not None:
        merged(room, before)
    room.validated()
    event = merged(room, STRICT)
    handle(event, room.context)
    handle(event, room.context)
    assert [(run.trigger, run.state.is_ended) for run in runs(room)] == [("test", True), ("configuration", False)]
    assert {job.id for job in room.queues.of("validate_head")} == {f"validate:{runs(room)[-1].id}:1"}


def test_a_run_that_may_have_begun_under_the_older_one_is_stopped(room: Room):
    first, _ = room.store.runs.begin(*room.place, room.head, "opened", datetime.now(UTC))
    room.store.runs.advance(first.id, RunState.running, datetime.now(UTC))
    handle(merged(room, STRICT), room.context)
    assert [(run.trigger, run.state) for run in runs(room)] == [
        ("opened", RunState.cancelled),
        ("configuration", RunState.queued),
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [("README.md", "# Shop, new\n"), (".github/assay.yml", "# only a comment\n"), ("pyproject.toml", "[tool.x]\n")],
)
def test_a_push_that_leaves_the_effective_configuration_validates_nothing(room: Room, name: str, text: str):
    room.validated()
    handle(merged(room, text, name), room.context)
    assert [run.trigger for run in runs(room)] == ["test"]


def test_a_push_validates_nothing_that_is_paused_or_against_another_branch(room: Room):
    room.validated()
    event = merged(room, STRICT)
    elsewhere = dataclasses.replace(event, ref="refs/heads/stable")
    handle(dataclasses.replace(elsewhere, about=dataclasses.replace(event.about, delivery_id="other")), room.context)
    room.say("mary", "/assay pause")
    handle(event, room.context)
    assert [run.trigger for run in runs(room)] == ["test"]
