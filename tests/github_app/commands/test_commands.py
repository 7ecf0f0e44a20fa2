"""What each command does."""

from __future__ import annotations

import dataclasses

from assay.github_app.commands.acts import ALREADY_PAUSED, BEING_VALIDATED, HELD, NOT_IN_REPORT, PAUSED, VALIDATED_AGAIN
from assay.github_app.commands.answering import answer
from assay.github_app.commands.explain import FINDINGS
from assay.github_app.store import RunState, WaiverKind
from assay.validators import STATEMENT_KINDS, read_report
from tests.github_app.publish.reports import failing
from tests.github_app.rooms import Room, critical, later


def blocking_finding(room: Room) -> str:
    """The id of the finding that blocks in the report on the head."""
    report = room.validated(failing(room.head))
    data = room.store.runs.report(report.id)
    assert data is not None
    read = read_report(data)
    return next(one.id for one in read.findings if one.id in read.blocking)


# ------------------------------------------------------------------ rerun


def test_rerun_validates_the_head_once_more(room: Room):
    first = room.validated()
    reply = room.say("mary", "/assay rerun")
    (job,) = room.queues.of("validate_head")
    again = room.store.runs.newest(*room.place)
    assert again is not None
    assert (again.head_sha, again.turn, again.trigger) == (room.head, first.turn + 1, "command")
    assert again.id in job.arguments
    assert VALIDATED_AGAIN in reply


def test_rerun_lets_a_run_that_is_under_way_go_on(room: Room):
    run, _ = room.store.runs.begin(*room.place, room.head, "push", later(0))
    room.store.runs.advance(run.id, RunState.running, later(0))
    assert BEING_VALIDATED in room.say("mary", "/assay rerun")
    assert len(room.store.runs.of_pull(*room.place)) == 1


def test_rerun_waits_for_resume_where_assay_is_paused(room: Room):
    assert "paused here" in room.say("mary", "/assay pause\n/assay rerun").lower()
    assert room.queues.jobs == []


def test_a_closed_pull_request_is_left_alone(room: Room):
    room.validated()
    room.github.as_person("ada", "PATCH", f"/repos/{room.full_name}/pulls/{room.number}", {"state": "closed"})
    reply = room.say("mary", "/assay rerun\n/assay hold\n/assay pause\n/assay release no\n/assay fp 0123456789ab no")
    assert reply.count("is closed") == 5
    assert FINDINGS in room.say("mary", "/assay explain")


# ------------------------------------------------------------------ explain


def test_explain_tells_all_about_a_finding(room: Room):
    finding = blocking_finding(room)
    reply = room.say("ada", f"/assay explain `{finding}`")
    assert "**`test_integrity`** (error) `tests/test_client.py:12`" in reply
    assert f"`/assay fp {finding} reason`" in reply


def test_explain_tells_what_stands_behind_a_risk_signal(room: Room):
    room.validated()
    reply = room.say("ada", "/assay explain surface")
    assert f"**{STATEMENT_KINDS['large'].label}** (remark): " in reply
    assert "- `src/uploads/client.py` 52 lines" in reply


def test_explain_lists_the_ids_where_it_is_not_told_which(room: Room):
    finding = blocking_finding(room)
    assert f"- `{finding}` blocks: `test_integrity`" in room.say("ada", "/assay explain")
    assert "command.unknown-finding" in room.say("ada", "/assay explain ffffffffffff")


def test_explain_says_which_commit_an_older_report_is_of(room: Room):
    old = room.head
    room.validated()
    room.push({"app.py": "x = 2\n"})
    assert f"`{old[:12]}`" in room.say("ada", "/assay explain")


def test_there_is_nothing_to_explain_before_the_first_report(room: Room):
    assert "command.no-report" in room.say("ada", "/assay explain\n/assay fp 0123456789ab wrong")


# ------------------------------------------------------------------ fp and accept


def test_a_false_finding_no_longer_blocks_by_whose_word_and_why(room: Room):
    finding = blocking_finding(room)
    reply = room.say("mary", f"/assay fp {finding} the test moved to `tests/slow`")
    waiver = room.store.waivers.of(*room.place)[finding]
    assert (waiver.kind, waiver.by, waiver.reason) == (WaiverKind.fp, "mary", "the test moved to `tests/slow`")
    assert waiver.head_sha == room.head
    assert "false positive" in reply
    assert len(room.queues.of("publish_run")) == 1
    (event,) = room.events("finding_waived")
    assert (event["finding_id"], event["by"], event["rule"]) == (finding, "mary", "test_integrity")


def test_a_finding_can_be_accepted_as_it_is(room: Room):
    finding = blocking_finding(room)
    assert " is accepted " in room.say("mary", f"/assay accept {finding} flaky, see the ticket")
    assert room.store.waivers.of(*room.place)[finding].kind is WaiverKind.accept
    assert "Waived (accept) by `mary`: flaky, see the ticket" in room.say("ada", f"/assay explain {finding}")


def test_nothing_is_waived_without_a_finding_and_a_reason(room: Room):
    finding = blocking_finding(room)
    lines = [f"fp {finding}", f"accept {finding} ..", "fp", "accept ffffffffffff it is fine", "fp pytest it is fine"]
    reply = room.say("mary", "\n".join(f"/assay {line}" for line in lines))
    assert reply.count("🤔") == len(lines)
    assert room.store.waivers.of(*room.place) == {}
    too_long = room.say("mary", f"/assay fp {finding} {'why ' * 200}")
    assert "at most 500 characters" in too_long
    assert room.store.waivers.of(*room.place) == {}


def test_risk_is_not_waived_as_a_finding_is(room: Room):
    room.validated(critical(room.head))
    assert NOT_IN_REPORT in room.say("mary", "/assay accept schema we looked")


# ------------------------------------------------------------------ hold and release


def test_a_person_holds_a_head_and_another_one_releases_it(room: Room):
    room.validated(dataclasses.replace(failing(room.head), blocking=()))
    assert HELD in room.say("mary", "/assay hold wait for the audit")
    hold = room.store.holds.current(*room.place, room.head)
    assert hold is not None
    assert (hold.placed_by, hold.is_active, hold.reasons) == ("mary", True, ("mary asked for it: wait for the audit",))
    assert "by `olivia`" in room.say("olivia", "/assay release the audit is done")
    hold = room.store.holds.current(*room.place, room.head)
    assert hold is not None
    assert (hold.released_by, hold.release_reason) == ("olivia", "the audit is done")
    assert [job.name for job in room.queues.jobs] == ["publish_run", "publish_run"]


def test_what_is_not_held_cannot_be_released(room: Room):
    room.validated()
    assert "command.nothing-held" in room.say("olivia", "/assay release please")


def test_nobody_releases_a_commit_that_came_after_they_wrote(room: Room):
    room.validated(critical(room.head))
    room.say("mary", "/assay hold")
    event = room.write("olivia", "/assay release schema, public_api: looked at it")
    room.push({"app.py": "evil = 1\n"})
    room.validated(critical(room.head))
    room.store.holds.place(*room.place, room.head, "critical", ["schema"], later(0))
    early = dataclasses.replace(event, comment=dataclasses.replace(event.comment, created_at=later(-60)))
    answer(early, room.context)
    assert "command.newer-head" in room.reply()
    hold = room.store.holds.current(*room.place, room.head)
    assert hold is not None
    assert hold.is_active


# ------------------------------------------------------------------ pause and resume


def test_pause_and_resume(room: Room):
    room.validated()
    assert PAUSED in room.say("mary", "/assay pause")
    assert ALREADY_PAUSED in room.say("olivia", "/assay pause")
    row = room.store.pulls.get(*room.place)
    assert row is not None
    assert row.paused_by == "mary"
    head = room.push({"app.py": "x = 3\n"})
    assert "beginning with" in room.say("mary", "/assay resume")
    (job,) = room.queues.of("validate_head")
    run = room.store.runs.of_head(*room.place, head)
    assert run is not None
    assert run.id in job.arguments
    assert "not paused" in room.say("mary", "/assay resume")
    assert [len(room.events(kind)) for kind in ("pull_paused", "pull_resumed")] == [1, 1]
