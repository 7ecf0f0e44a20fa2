"""What was accepted of one change is not accepted of another: another base, or a verdict nobody has seen yet."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

from assay.github.authority import NOTHING_DONE
from assay.github.events.model import PullRequestEvent
from assay.github.publish import RELEASE_HOLD
from assay.github_app.commands.acts import PAUSED
from assay.github_app.handlers import handle
from assay.github_app.runs.holds import hold_where_due
from assay.github_app.store import EventKind, WaiverKind
from tests.github_app.publish.reports import failing
from tests.github_app.rooms import Room, critical, later

RELEASE = "/assay release schema, public_api: agreed with the users"


def is_held(room: Room) -> bool:
    hold = room.store.holds.current(*room.place, room.head)
    return hold is not None and hold.is_active


def held(room: Room) -> None:
    report = critical(room.head)
    room.validated(report)
    hold_where_due(room.store, report, *room.place, later(-10))


def to_another_base(room: Room) -> None:
    """As GitHub tells it: the pull request was edited, and what the base was before."""
    opened = room.heard("pull_request", lambda payload: payload["action"] == "opened")
    assert isinstance(opened, PullRequestEvent)
    about = dataclasses.replace(opened.about, action="edited", delivery_id="base-1")
    pull = dataclasses.replace(opened.pull, base_ref="release", updated_at=later(1))
    handle(dataclasses.replace(opened, about=about, pull=pull, old_base_ref="main"), room.context)


def test_another_base_is_held_again_though_the_head_was_released(room: Room):
    held(room)
    assert "by `olivia`" in room.say("olivia", RELEASE)
    assert not is_held(room)
    to_another_base(room)
    assert is_held(room)
    assert room.events(EventKind.hold_placed)[-1]["reasons"][-1] == "the base was main when it was released"
    hold_where_due(room.store, critical(room.head), *room.place, later(1))
    assert is_held(room)


def test_another_base_of_what_never_was_held_holds_nothing(room: Room):
    room.validated()
    to_another_base(room)
    assert room.store.holds.current(*room.place, room.head) is None


def test_a_pause_does_not_keep_the_verdict_of_the_old_base_standing(room: Room):
    """Validated against a lax branch, paused, and pointed at a strict one: it would pass there unseen."""
    room.validated()
    assert PAUSED in room.say("mary", "/assay pause")
    to_another_base(room)
    assert [run.trigger for run in room.store.runs.of_pull(*room.place)] == ["test", "new_base"]
    assert len(room.queues.of("validate_head")) == 1
    row = room.store.pulls.get(*room.place)
    assert row is not None
    assert not row.is_paused
    assert room.events(EventKind.pull_resumed) == [{"by": None, "why": "another base"}]


def test_nothing_is_released_while_its_verdict_is_made_anew(room: Room):
    """A critical risk is accepted by name, and while there is no report nobody knows the names."""
    held(room)
    room.store.runs.begin(*room.place, room.head, "command", datetime.now(UTC), is_again=True)
    assert "command.being-validated" in room.say("olivia", "/assay release whatever it is")
    assert "command.being-validated" in room.push_button("olivia", RELEASE_HOLD.identifier)
    assert is_held(room)


def test_a_stranger_and_who_may_only_triage_release_nothing_whatever_their_association_says(room: Room):
    held(room)
    room.github.person("tria", role="triage")
    room.github.person("eve")
    for login in ("tria", "eve", "rick"):
        event = room.write(login, RELEASE)
        owner = dataclasses.replace(event.comment, association="OWNER")
        handle(dataclasses.replace(event, comment=owner), room.context)
        assert NOTHING_DONE in room.reply(), login
    assert is_held(room)


def test_another_base_ends_every_waiver_and_the_same_event_again_ends_no_new_one(room: Room):
    report = failing(room.head)
    room.validated(report)
    finding = next(one.id for one in report.findings if one.id in report.blocking)
    room.say("mary", f"/assay accept {finding} fine on main")
    assert set(room.store.waivers.of(*room.place)) == {finding}
    to_another_base(room)
    assert not room.store.waivers.of(*room.place)
    assert [one["finding_id"] for one in room.events(EventKind.waiver_ended)] == [finding]
    newer = later(5)
    room.store.waivers.put(*room.place, finding, WaiverKind.accept, "mary", "fine there too", room.head, newer)
    to_another_base(room)
    assert set(room.store.waivers.of(*room.place)) == {finding}
