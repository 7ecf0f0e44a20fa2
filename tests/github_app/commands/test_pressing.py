"""The buttons, and GitHub's own "Re-run"."""

from __future__ import annotations

import dataclasses
from typing import Any

from assay.github.authority import NOTHING_DONE
from assay.github.events.model import About, CheckSuiteEvent, Person, RepositoryFacts
from assay.github.publish import HAND_TO_AGENT, RELEASE_HOLD, RERUN
from assay.github_app.commands.acts import VALIDATED_AGAIN
from assay.github_app.commands.pressing import press, rerequested
from assay.github_app.runs.holds import hold_where_due
from assay.validators.report.model import RiskLevel
from tests.github_app.publish.reports import held
from tests.github_app.rooms import Room, critical, later

ALL = [RERUN.identifier, HAND_TO_AGENT.identifier, RELEASE_HOLD.identifier]


def hold_of(room: Room) -> bool:
    hold = room.store.holds.current(*room.place, room.head)
    return hold is not None and hold.is_active


def test_the_rerun_button_validates_the_head_once_more(room: Room):
    room.validated()
    assert VALIDATED_AGAIN in room.push_button("mary", RERUN.identifier)
    assert len(room.queues.of("validate_head")) == 1


def test_the_release_button_lets_a_high_risk_go_and_asks_for_words_at_a_critical_one(room: Room):
    report = critical(room.head)
    room.validated(report)
    hold_where_due(room.store, report, *room.place, later(0))
    reply = room.push_button("olivia", RELEASE_HOLD.identifier, delivery="one")
    assert "`/assay release schema, public_api: why this is acceptable`" in reply
    assert hold_of(room)
    high = held(room.push({"app.py": "x = 7\n"}))
    assert high.risk is not None
    high = high.with_tiers(risk=dataclasses.replace(high.risk, level=RiskLevel.high, statements=()))
    room.validated(high)
    hold_where_due(room.store, high, *room.place, later(0))
    assert "by `olivia`" in room.push_button("olivia", RELEASE_HOLD.identifier, delivery="two")
    assert not hold_of(room)


def test_the_author_does_not_release_the_own_work_by_a_button(room: Room):
    report = held(room.head)
    room.validated(report)
    hold_where_due(room.store, report, *room.place, later(0))
    assert "command.needs-another-user" in room.push_button("ada", RELEASE_HOLD.identifier)
    assert hold_of(room)


def test_who_may_not_press_is_told_so_politely_and_nothing_is_done(room: Room):
    report = held(room.head)
    room.validated(report)
    hold_where_due(room.store, report, *room.place, later(0))
    for number, identifier in enumerate(ALL):
        assert NOTHING_DONE in room.push_button("rick", identifier, delivery=f"press-{number}")
    assert room.queues.jobs == []
    assert hold_of(room)
    assert len(room.ours()) == 1


def test_a_button_of_an_older_commit_does_nothing(room: Room):
    old = room.head
    room.validated()
    room.push({"app.py": "x = 2\n"})
    for number, identifier in enumerate(ALL):
        assert "older commit" in room.push_button("mary", identifier, head=old, delivery=f"press-{number}")
    assert room.queues.jobs == []


def test_a_press_delivered_again_does_nothing_again(room: Room):
    room.validated()
    event = room.pressed("mary", RERUN.identifier)
    press(event, room.context)
    num_requests = len(room.github.requests)
    press(event, room.context)
    assert len(room.queues.jobs) == 1
    assert len(room.github.requests) == num_requests


def test_a_press_under_somebody_elses_check_is_none_of_ours(room: Room):
    room.validated()
    event = room.pressed("mary", RERUN.identifier)
    forged: list[dict[str, Any]] = [
        {"app_id": 99},
        {"app_id": None},
        {"external_id": None},
        {"external_id": "assay:1:1:forged:1"},
        {"head_sha": "0" * 40},
    ]
    for changes in forged:
        press(dataclasses.replace(event, check=dataclasses.replace(event.check, **changes)), room.context)
    assert room.queues.jobs == []
    assert room.reply() == ""


def test_an_unknown_button_and_a_bot_press_nothing(room: Room):
    room.validated()
    event = room.pressed("mary", "format-disk")
    press(event, room.context)
    about = dataclasses.replace(event.about, sender=Person("helper[bot]", 3, "Bot"))
    press(dataclasses.replace(event, about=about, button=RERUN.identifier), room.context)
    assert room.queues.jobs == []


def test_githubs_own_rerun_of_our_check_validates_once_more(room: Room):
    room.validated()
    event = room.pressed("mary", "")
    event = dataclasses.replace(event, about=dataclasses.replace(event.about, action="rerequested"), button=None)
    rerequested(event, room.context)
    rerequested(event, room.context)
    (job,) = {job.id for job in room.queues.jobs}
    assert "validate" in job
    assert len(room.store.runs.of_pull(*room.place)) == 2


def test_rerun_all_checks_validates_every_pull_request_with_this_head(room: Room):
    room.validated()
    about = About(
        "check_suite",
        "rerequested",
        "d-1",
        RepositoryFacts(room.repository_id, room.full_name),
        room.github.installation_id,
        Person("mary", 9),
    )
    event = CheckSuiteEvent(about, room.head, room.github.app_id)
    rerequested(dataclasses.replace(event, app_id=1), room.context)
    assert room.queues.jobs == []
    rerequested(event, room.context)
    assert len(room.queues.of("validate_head")) == 1
    room.store.pulls.pause(*room.place, "mary", later(0))
    rerequested(dataclasses.replace(event, about=dataclasses.replace(about, delivery_id="d-2")), room.context)
    assert len(room.queues.of("validate_head")) == 1
