"""`/assay rule publish` has AGENTS.md looked at, once for each time it is said, and only where that is allowed."""

from __future__ import annotations

from dataclasses import replace

from assay.github_app.commands.rule import PUBLISHING
from assay.github_app.ops.settings import Settings
from tests.github_app.rooms import Room


def test_the_block_is_looked_at_where_the_operator_allows_it(room: Room):
    room.context = replace(room.context, settings=Settings(data_dir=room.context.settings.data_dir, agents_md=True))
    assert PUBLISHING in room.say("mary", "/assay rule publish")
    (job,) = room.queues.of("keep_block")
    assert job.arguments == (room.repository_id,)


def test_it_is_refused_where_the_app_proposes_nothing(room: Room):
    assert "command.no-proposals" in room.say("mary", "/assay rule publish")
    assert room.queues.of("keep_block") == []


def test_who_may_not_write_asks_for_nothing(room: Room):
    room.context = replace(room.context, settings=Settings(data_dir=room.context.settings.data_dir, agents_md=True))
    room.say("rick", "/assay rule publish")
    assert room.queues.of("keep_block") == []
