"""After the verdict, joined with what publishes: held, alerted, handed back; and decisions of people shown at once."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from pydantic import SecretStr

from assay.github.publish import RELEASE_HOLD
from assay.github_app.ops.permissions import FOR_PUBLISHING
from assay.github_app.ops.settings import Settings
from assay.github_app.runs.holds import hold_facts
from assay.github_app.runs.publisher import RunPublisher
from assay.github_app.store import RunRow, RunState
from assay.validators import ValidationReport
from assay.validators.report.model import Commit, Finding, Severity, Tier
from tests.github_app.publish.reports import fine, with_findings
from tests.github_app.receiver import Receiver
from tests.github_app.rooms import Room, critical

pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")


def publish(room: Room, run: RunRow) -> dict[str, Any]:
    """What the job does with a run that has its report; the Check Run as it stands then."""
    with room.context.repo(room.repository_id, FOR_PUBLISHING) as repo:
        RunPublisher().publish(run, repo.pull(room.number), repo, room.context)
    (check,) = room.github.check_runs(run.head_sha, name="Assay")
    return check


def validated(
    room: Room, report: ValidationReport, state: RunState = RunState.completed, **configuration: Any
) -> RunRow:
    """The head has this report, under these settings and a base GitHub knows."""
    base = room.pull().base_sha
    settings = {**report.settings, "configuration": configuration}
    return room.validated(
        dataclasses.replace(
            report,
            base=Commit(base, "main"),
            merge_base=base,
            mode=configuration.get("mode", "advisory"),
            settings=settings,
        ),
        state=state,
    )


def test_a_critical_head_is_held_and_alerted_once_and_a_release_shows_at_once(room: Room, receiver: Receiver):
    settings = Settings(data_dir=room.context.settings.data_dir, alert_urls=SecretStr(receiver.address))
    room.context = dataclasses.replace(room.context, settings=settings)
    run = validated(room, critical(room.head), mode="enforce")
    assert publish(room, run)["conclusion"] == "action_required"
    assert publish(room, run)["conclusion"] == "action_required"
    assert [one["title"] for one in receiver.got] == ["Critical risk: acme/shop#1"]

    room.say("olivia", "/assay release schema, public_api: agreed with the users")
    assert [job.name for job in room.queues.jobs] == ["publish_run"]
    check = publish(room, run)
    assert (check["conclusion"], "released by olivia" in check["output"]["title"]) == ("success", True)
    assert len(receiver.got) == 1

    room.say("mary", "/assay hold not so fast")
    assert publish(room, run)["conclusion"] == "action_required"


def lacking_tests(
    room: Room, report: ValidationReport, state: RunState = RunState.completed, mode: str = "enforce"
) -> RunRow:
    """Source changed, the base has tests, and Assay ran none."""
    expecting = dataclasses.replace(report, settings={**report.settings, "expects_tests": True})
    return validated(room, expecting, state, mode=mode)


def is_active(room: Room) -> bool:
    facts = hold_facts(room.store, *room.place, room.head)
    return facts is not None and facts.is_active


def test_missing_tests_hold_a_head_until_they_are_released_or_there(room: Room):
    store, ids = room.store, [room.repository_id]
    room.github.check(room.head, "CI")
    run = lacking_tests(room, fine(room.head))
    check = publish(room, run)
    assert check["conclusion"] == "action_required"
    assert {"tests missing", "approval required"} <= set(check["output"]["title"].split(" · "))
    assert RELEASE_HOLD.identifier in [one["identifier"] for one in check["actions"]]
    (comment,) = room.ours()
    assert "`CI` (success)" in comment["body"]
    assert "/assay release" in comment["body"]
    assert (len(store.listings.held(ids)), store.attention.misconfigured(ids, 9).total) == (1, 0)
    assert "`CI` (success)" in room.say("mary", "/assay explain")
    assert "released" not in room.say("ada", "/assay release they pass here")
    assert "(tests missing) is released" in room.say("olivia", "/assay release CI runs them")
    check = publish(room, run)
    assert (check["conclusion"], "released by olivia" in check["output"]["title"]) == ("success", True)
    assert "CI runs them" in check["output"]["summary"]
    assert "Resolved" in room.github.comments(room.number)[0]["body"]
    assert len(store.listings.held(ids)) == 0

    room.push({"app.py": "x = 2\n"})
    run = lacking_tests(room, fine(room.head))
    assert (publish(room, run)["conclusion"], is_active(room)) == ("action_required", True)
    room.github.check(room.head, "pytest")
    check = publish(room, run)
    assert (check["conclusion"], "released" in check["output"]["title"], is_active(room)) == ("success", False, False)
    assert len(store.listings.held(ids)) == 0


def test_one_release_covers_critical_risk_and_missing_tests(room: Room):
    run = lacking_tests(room, critical(room.head))
    assert publish(room, run)["conclusion"] == "action_required"
    reply = room.say("olivia", "/assay release schema, public_api: agreed with the users")
    assert "(critical risk and tests missing) is released" in reply
    check = publish(room, run)
    assert (check["conclusion"], "critical risk and tests missing" in check["output"]["summary"]) == ("success", True)


def test_tests_that_are_waited_for_are_not_missing_yet(room: Room):
    running = room.github.check(room.head, "pytest", None)
    run = lacking_tests(room, fine(room.head), RunState.running)
    check = publish(room, run)
    assert (check["status"], "missing" in check["output"]["summary"], is_active(room)) == ("in_progress", False, False)
    room.github.finish_check(running, "cancelled")
    check = publish(room, run)
    assert (check["conclusion"], is_active(room)) == ("action_required", True)


@pytest.mark.parametrize(("name", "is_blocked"), [("CI", True), ("pytest", False)])
def test_missing_tests_count_as_blocked_before_they_block(room: Room, name: str, is_blocked: bool):
    room.github.check(room.head, name)
    assert publish(room, lacking_tests(room, fine(room.head), mode="advisory"))["conclusion"] == "success"
    assert room.ours() == []
    assert [one.is_hold for one in room.store.listings.verdicts(None)] == [is_blocked]


def test_findings_go_back_to_the_agent_by_themselves_where_that_is_wanted(room: Room):
    finding = Finding(Tier.quality, Severity.error, "complexity", "app.py", "`f` is complex", 1, context="f")
    run = validated(
        room,
        with_findings([finding], room.head),
        mode="enforce",
        handBack="auto",
        agents={"claude-code": {"mention": "@claude"}},
    )
    room.store.pulls.set_agent(*room.place, "claude-code", 0.9, ["branch"], run.created_at)
    assert publish(room, run)["conclusion"] == "failure"
    publish(room, run)
    handed = [one["body"] for one in room.ours() if one["body"].startswith("<!-- assay:fix ")]
    assert len(handed) == 1
    assert "@claude please fix" in handed[0]

    (found,) = [one.finding_id for one in room.store.runs.findings(run.id)]
    room.say("mary", f"/assay accept {found} it is a parser")
    check = publish(room, run)
    assert check["conclusion"] == "success"
    assert "it is a parser" in check["output"]["summary"] + check["output"]["text"]


def test_a_finding_that_got_worse_since_it_was_accepted_blocks_again(room: Room):
    def with_one(message: str) -> RunRow:
        finding = Finding(Tier.quality, Severity.error, "weakened", "test_app.py", message, 1, context="test_total")
        return validated(room, with_findings([finding], room.head), mode="enforce")

    run = with_one("`test_total` lost 1 of 5 asserts")
    assert publish(room, run)["conclusion"] == "failure"
    (finding,) = room.store.runs.findings(run.id)
    room.say("olivia", f"/assay accept {finding.finding_id} the fifth said nothing")
    assert publish(room, run)["conclusion"] == "success"

    room.push({"app.py": "x = 3\n"})
    assert publish(room, with_one("`test_total` lost 1 of 5 asserts"))["conclusion"] == "success"
    room.push({"app.py": "x = 4\n"})
    worse = with_one("`test_total` lost all of its asserts")
    assert publish(room, worse)["conclusion"] == "failure"
    assert [one.finding_id for one in room.store.runs.findings(worse.id)] == [finding.finding_id]
