"""`/assay rule publish` has instruction files looked at, once for each time it is said, where that is allowed."""

from __future__ import annotations

from dataclasses import replace

from assay.github_app.commands.rule import PUBLISHING
from assay.github_app.ops.settings import Settings
from tests.github_app.learning.rules_at_hand import put_rule
from tests.github_app.remembering import REPOSITORY
from tests.github_app.rooms import Room


def with_rule(room: Room) -> None:
    put_rule(room.store, "0000000000a1", "name it", facts=replace(REPOSITORY, id=room.repository_id), by="olivia")


def test_the_block_is_looked_at_once_a_maintainer_has_confirmed_a_rule(room: Room):
    assert "command.nothing-confirmed" in room.say("mary", "/assay rule publish")
    assert room.queues.of("keep_block") == []
    with_rule(room)
    assert PUBLISHING in room.say("mary", "/assay rule publish")
    (job,) = room.queues.of("keep_block")
    assert job.arguments == (room.repository_id,)


def test_it_is_refused_where_the_app_proposes_nothing(room: Room):
    with_rule(room)
    settings = Settings(data_dir=room.context.settings.data_dir, instruction_files=False)
    room.context = replace(room.context, settings=settings)
    assert "command.no-proposals" in room.say("mary", "/assay rule publish")
    assert room.queues.of("keep_block") == []


def test_who_may_not_write_asks_for_nothing(room: Room):
    with_rule(room)
    room.say("rick", "/assay rule publish")
    assert room.queues.of("keep_block") == []
