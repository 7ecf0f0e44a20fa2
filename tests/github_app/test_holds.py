"""Holding a head until a person has looked: when, until when, and who may let it go."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from assay.github.errors import CommandRefused
from assay.github.events.model import Person
from assay.github.publish import critical_signals, held_level, with_hold
from assay.github_app.runs.holds import Release, hold_facts, hold_where_due, release
from assay.github_app.store import EventKind, Store
from assay.validators import Conclusion, RiskLevel, ValidationReport
from assay.validators.report.model import Likelihood
from assay.validators.risk.level import levelled
from tests.github_app.publish.reports import HEAD, fine, held, pull, said, statement
from tests.github_app.rooms import Room, critical, later

ADA, OLIVIA = Person("ada", 11), Person("olivia", 13)
REASON = "schema and public_api: agreed with the users"


PLACE = (1, 7)
PULL = dataclasses.replace(pull(7, HEAD), author=ADA)


def is_held(store: Store, place: tuple[int, int] = PLACE, head: str = HEAD) -> bool:
    facts = hold_facts(store, *place, head)
    return facts is not None and facts.is_active


def logged(store: Store, kind: EventKind) -> list[dict[str, Any]]:
    return [dict(event.data) for event in store.events.of(*PLACE) if event.kind == kind]


def hold_it(store: Store, report: ValidationReport | None = None, seconds: float = 0) -> None:
    """The head is validated; without a report, as critical by two signals."""
    hold_where_due(store, report or critical(HEAD), *PLACE, later(seconds))


def wanted(by: Person = OLIVIA, reason: str = REASON, **more: Any) -> Release:
    values: dict[str, Any] = {
        "by": by,
        "reason": reason,
        "pull": PULL,
        "made_by": ("ada", "id:11"),
        "report": critical(HEAD),
        "repository_id": PLACE[0],
        "key": "comment:1:0",
    }
    return Release(**(values | more))


# ------------------------------------------------------------------ when


def test_a_head_is_held_from_the_threshold_on_and_not_below(store: Store):
    hold_it(store, fine(HEAD))
    assert hold_facts(store, *PLACE, HEAD) is None
    hold_it(store)
    facts = hold_facts(store, *PLACE, HEAD)
    assert facts is not None
    assert facts.is_active
    assert facts.reasons == ("schema: drops the column `users.email`", "public_api: removes `send`")
    (event,) = logged(store, EventKind.hold_placed)
    assert (event["head_sha"], event["level"], event["by"]) == (HEAD, "critical", None)


def test_likelihood_is_a_reason_of_a_hold_only_where_the_level_holds(store: Store):
    report = critical(HEAD)
    assert report.risk is not None
    likelihood = Likelihood(RiskLevel.critical, 98.0, "model", 500)
    risk = levelled(dataclasses.replace(report.risk, likelihood=likelihood, statements=report.risk.statements[2:]))
    by_policy = report.with_tiers(risk=risk)
    by_level = dataclasses.replace(by_policy, settings={**report.settings, "hold_on": "level"})
    assert (critical_signals(by_policy), held_level(by_policy)) == ((), RiskLevel.low)
    assert (critical_signals(by_level), held_level(by_level)) == (("likelihood",), RiskLevel.critical)
    hold_it(store, by_level)
    facts = hold_facts(store, *PLACE, HEAD)
    assert facts is not None
    assert (facts.level, facts.reasons) == ("critical", ("likelihood: critical",))


def test_validating_a_head_again_neither_repeats_a_hold_nor_takes_back_a_release(store: Store):
    hold_it(store)
    hold_it(store, seconds=1)
    release(store, wanted(), later(2))
    hold_it(store, seconds=3)
    assert not is_held(store)
    assert len(logged(store, EventKind.hold_placed)) == len(logged(store, EventKind.hold_released)) == 1


def test_a_new_push_is_held_again(store: Store):
    hold_it(store)
    release(store, wanted(), later(0))
    hold_it(store, critical("9" * 40), seconds=1)
    assert is_held(store, head="9" * 40)


@pytest.mark.parametrize("was_released", [True, False])
def test_a_new_push_does_not_escape_a_hold_a_person_placed(room: Room, was_released: bool):
    room.validated(fine(room.head))
    room.say("mary", "/assay hold wait")
    if was_released:
        room.say("olivia", "/assay release fine now")
    old = room.head
    room.push({"app.py": "x = 2\n"})
    hold_where_due(room.store, fine(room.head), *room.place, later(1))
    facts = hold_facts(room.store, *room.place, room.head)
    assert facts is not None
    assert facts.is_active
    assert facts.placed_by == "mary"
    assert facts.reasons == (f"mary held {old[:12]}; new commits were pushed since",)
    assert with_hold(fine(room.head), facts).conclusion is Conclusion.action_required


def test_a_release_does_not_cover_a_signal_that_another_configuration_finds(store: Store):
    hold_it(store)
    release(store, wanted(), later(1))
    found = critical(HEAD)
    assert found.risk is not None
    more = statement("gates", "gate_loosened", "the tests are switched off")
    hold_it(store, found.with_tiers(risk=dataclasses.replace(found.risk, statements=(more,))), seconds=2)
    assert is_held(store)
    assert store.holds.history(*PLACE)[-1].reasons == ("gates: the tests are switched off",)


def test_a_second_pull_request_of_a_commit_held_by_hand_is_held_too(room: Room):
    room.say("mary", "/assay hold wait")
    second = (room.repository_id, room.number + 1)
    hold_where_due(room.store, fine(room.head), *second, later(1))
    assert is_held(room.store, second, room.head)
    third = (room.repository_id, room.number + 2)
    hold_where_due(room.store, fine("3" * 40), *third, later(1))
    assert not is_held(room.store, third, "3" * 40)


def test_time_releases_nothing(store: Store):
    hold_it(store, held(HEAD), seconds=-10 * 365 * 86_400)
    hold_it(store, held(HEAD))
    assert is_held(store)


# ------------------------------------------------------------------ why


@pytest.mark.parametrize(
    "reason",
    ["", "ok", "fine by me", "schema, public_api", "schema public api:", "schema: looked at it", "public_api is fine"],
)
def test_a_critical_risk_is_not_released_without_naming_all_that_is_accepted(store: Store, reason: str):
    hold_it(store)
    with pytest.raises(CommandRefused, match=r"/assay release schema, public_api: "):
        release(store, wanted(reason=reason), later(0))
    assert is_held(store)


@pytest.mark.parametrize("reason", [REASON, "Public API + Schema: nobody uses it", "SCHEMA/public-api reviewed by dba"])
def test_a_critical_risk_is_released_by_naming_it(store: Store, reason: str):
    hold_it(store)
    release(store, wanted(reason=reason), later(0))
    assert not is_held(store)
    (event,) = logged(store, EventKind.hold_released)
    assert event["accepts"] == ["schema", "public_api"]
    assert (event["by"], event["reason"], event["made_by"]) == ("olivia", reason, ["ada", "id:11"])


def test_what_makes_a_risk_critical_is_told_once_each():
    assert critical_signals(critical("0" * 40)) == ("schema", "public_api")
    assert critical_signals(None) == ()


# ------------------------------------------------------------------ what stands on GitHub


@pytest.mark.parametrize(
    ("mode", "while_held", "when_released"),
    [("enforce", "action_required", "success"), ("advisory", "neutral", "success")],
)
def test_a_hold_blocks_only_where_that_is_enforced(store: Store, mode: str, while_held: str, when_released: str):
    report = dataclasses.replace(critical(HEAD), mode=mode)
    hold_it(store, report)
    before = said(report, hold=hold_facts(store, *PLACE, HEAD)).check
    release(store, wanted(), later(0))
    after = said(report, hold=hold_facts(store, *PLACE, HEAD)).check
    assert (before.conclusion, after.conclusion) == (while_held, when_released)
    assert before.title.startswith("Would be held: ") == (mode == "advisory")
    assert "released by olivia" in after.title


def test_the_author_who_may_write_does_not_release_the_own_hold(room: Room):
    report = critical(room.head)
    room.validated(report)
    hold_where_due(room.store, report, *room.place, later(0))
    reply = room.say("ada", "/assay release schema, public_api: trust me")
    assert "command.needs-another-user" in reply
    assert is_held(room.store, room.place, room.head)
    assert "by `olivia`" in room.say("olivia", "/assay release schema, public_api: looked at it")
    assert not is_held(room.store, room.place, room.head)
