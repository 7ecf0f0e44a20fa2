"""Exports as JSON in their several shapes: Redis, Graphiti, AutoGen teams, older Letta agents."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from assay.memory_eval.adapters.snapshots.dates import moment_of
from assay.memory_eval.adapters.snapshots.opening import open_snapshot


def test_redis_hashes_json_and_strings_are_read(tmp_path: Path):
    rows = [
        {"key": "mem:1", "type": "hash", "ttl": -1, "value": {"memory": "Ada likes tea.", "created_at": "1736499600"}},
        {"key": "mem:2", "type": "json", "value": '[{"text": "Bo likes milk.", "updated_at": "2025-01-10T09:00:00Z"}]'},
        {"key": "mem:3", "type": "string", "value": "Cy likes water."},
        {"key": "mem:4", "type": "hash", "value": {"name": "Dee", "city": "Oslo"}},
    ]
    path = tmp_path / "redis.json"
    for text in (json.dumps(rows), "\n".join(map(json.dumps, rows))):
        path.write_text(text)
        snapshot = open_snapshot(path)
        assert snapshot.format == "redis_json"
        texts = [entry.text for entry in snapshot.live]
        assert texts == ["Ada likes tea.", "Bo likes milk.", "Cy likes water.", "name: Dee; city: Oslo"]
        assert snapshot.entries[0].created == datetime(2025, 1, 10, 9, tzinfo=UTC)
        assert snapshot.entries[1].updated_at == date(2025, 1, 10)
        assert snapshot.entries[2].id == "mem:3"


@pytest.mark.parametrize("time", ["²", "१२", "1.2.3", "9" * 400, "1e5", ""])
def test_a_time_that_is_no_number_is_no_time(tmp_path: Path, time: str):
    path = tmp_path / "redis.json"
    value = {"memory": "Ada likes tea.", "created_at": time}
    path.write_text(json.dumps([{"key": "mem:1", "type": "hash", "value": value}]))
    assert open_snapshot(path).entries[0].created is None


def test_a_fact_is_live_until_the_day_it_becomes_invalid(tmp_path: Path):
    later = (datetime.now(UTC) + timedelta(days=30)).isoformat()
    edges = [
        {"uuid": "a", "fact": "Ada works here.", "invalid_at": later, "expired_at": None},
        {"uuid": "b", "fact": "Bo works here.", "invalid_at": "2020-01-01T00:00:00Z", "expired_at": None},
        {"uuid": "c", "fact": "Cy works here.", "invalid_at": None, "expired_at": "2020-01-01T00:00:00Z"},
    ]
    path = tmp_path / "edges.jsonl"
    path.write_text("\n".join(map(json.dumps, edges)))
    states = {entry.text[:2]: entry.state for entry in open_snapshot(path).entries}
    assert states == {"Ad": "live", "Bo": "history", "Cy": "history"}


def test_a_team_s_repeated_messages_are_read_once(tmp_path: Path):
    said = {"content": "Ada likes tea.", "source": "ada", "type": "UserMessage"}
    system = {"content": "You are an assistant.", "source": "system", "type": "SystemMessage"}
    state = {
        "type": "TeamState",
        "agent_states": {
            "assistant": {"agent_state": {"llm_context": {"messages": [system, said]}}},
            "manager": {"message_thread": [{**said, "type": "TextMessage"}]},
        },
    }
    path = tmp_path / "team.json"
    path.write_text(json.dumps(state))
    snapshot = open_snapshot(path)
    assert [(entry.text, entry.speaker) for entry in snapshot.entries] == [("Ada likes tea.", "ada")]


def test_an_older_agent_file_and_one_in_a_json_text_are_read(tmp_path: Path):
    agent = {
        "agent_type": "memgpt_agent",
        "core_memory": [{"label": "human", "value": "Ada likes tea.", "updated_at": "2025-01-10T09:00:00"}],
        "messages": [{"role": "user", "text": "Hello.", "created_at": "2025-01-10T09:00:00"}],
        "llm_config": {},
        "version": "0.7.1",
    }
    for text in (json.dumps(agent), json.dumps(json.dumps(agent))):
        path = tmp_path / "agent.af"
        path.write_text(text)
        snapshot = open_snapshot(path)
        assert (snapshot.format, snapshot.version) == ("letta", "0.7.1")
        assert [entry.text for entry in snapshot.live] == ["Ada likes tea.", "Hello."]
        assert snapshot.live[0].about == "human"
        assert snapshot.live[0].updated_at == date(2025, 1, 10)


def test_a_long_memory_md_gets_a_note(tmp_path: Path):
    path = tmp_path / "MEMORY.md"
    path.write_text("- Ada likes tea.\n" * 201)
    assert any("200 lines" in note for note in open_snapshot(path).notes)


def test_the_rules_of_an_editor_are_read_below_a_folder_with_a_dot(tmp_path: Path):
    folder = tmp_path / ".cursor/rules"
    folder.mkdir(parents=True)
    (folder / "style.mdc").write_text("---\ndescription: Style\nalwaysApply: true\n---\n- Use tabs.\n")
    assert any("Use tabs." in entry.text for entry in open_snapshot(tmp_path).live)


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2025-01-10 09:00:00", datetime(2025, 1, 10, 9, tzinfo=UTC)),
        ("2025-01-10T10:00:00+01:00", datetime(2025, 1, 10, 9, tzinfo=UTC)),
        ("2025-01-10 09:00:00+00", datetime(2025, 1, 10, 9, tzinfo=UTC)),
        (1736499600, datetime(2025, 1, 10, 9, tzinfo=UTC)),
        (1736499600000, datetime(2025, 1, 10, 9, tzinfo=UTC)),
        ("on 2025-01-10", datetime(2025, 1, 10, tzinfo=UTC)),
        ("0001-01-01T00:00:00+14:00", None),
        ("soon", None),
        (True, None),
        (float("nan"), None),
        (10**30, None),
        (None, None),
    ],
)
def test_moments_are_read_in_the_notations_of_stores(value: object, moment: datetime | None):
    assert moment_of(value) == moment


def test_items_of_another_kind_are_counted_as_not_read(tmp_path: Path):
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"memory_contents": [{"content": "Ada likes tea."}, "x", None]}))
    assert open_snapshot(path).num_unread == 2
    agent = {"messages": [{"role": "user", "content": "Bo likes milk."}, 5]}
    whole = {"agent_type": "x", "agents": [agent, 5], "blocks": [{"label": "a"}, []]}
    (tmp_path / "x.af").write_text(json.dumps(whole))
    assert open_snapshot(tmp_path / "x.af").num_unread == 4


@pytest.mark.parametrize(
    "whole",
    [
        {"agent_type": "x", "llm_config": {}, "agents": [{"messages": [{"role": [], "content": "a fact"}]}]},
        {"memory_contents": [], "messages": [{"type": {}, "content": "a fact"}]},
        {"nodes": [{"uuid": {}, "name": "a"}], "edges": [{"fact": "a fact", "invalid_at": 0, "source_node_uuid": []}]},
    ],
    ids=["letta", "autogen", "graphiti"],
)
def test_a_structure_in_place_of_a_name_is_read(tmp_path: Path, whole: object):
    path = tmp_path / "store.json"
    path.write_text(json.dumps(whole))
    assert "a fact" in {entry.text for entry in open_snapshot(path).live}
