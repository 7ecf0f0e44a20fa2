"""What deleted rows leave in a database is residue; what is live is not, and the search is bounded."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from assay.memory_eval.adapters.snapshots.decoding import leftovers
from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from tests.memory_eval.adapters.snapshots.fixtures import DATABASES, unpacked
from tests.memory_eval.adapters.snapshots.msgpack_writer import packed


def test_a_long_live_text_is_no_residue_of_itself(tmp_path: Path):
    text = "A long story about Ada. " * 2000
    state = {"v": 4, "ts": "2025-01-10T09:00:00Z", "channel_values": {"story": text}}
    path = tmp_path / "long.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE checkpoints (thread_id, checkpoint_ns, checkpoint_id, type, checkpoint)")
        database.execute("INSERT INTO checkpoints VALUES ('t', '', '1', 'msgpack', ?)", [packed(state)])
        database.execute("CREATE TABLE writes (thread_id, channel, type, value)")
        database.execute("INSERT INTO writes VALUES ('t', 'story', 'msgpack', ?)", [packed(text)])
    database.close()
    assert {entry.state for entry in open_snapshot(path).entries} == {"live"}


@pytest.mark.parametrize("name", ["langgraph_store", "openai_agents"])
def test_parts_of_a_live_value_over_many_pages_are_no_residue(tmp_path: Path, name: str):
    parts = [{"role": "user", "content": f"Fact {number} about Ada."} for number in range(1000)]
    value = json.dumps({"text": "All facts about Ada.", "content": "All facts about Ada.", "role": "user", "of": parts})
    table, column = {"langgraph_store": ("store", "value"), "openai_agents": ("agent_messages", "message_data")}[name]
    file = unpacked(name, tmp_path) / {"langgraph_store": "store.sqlite", "openai_agents": "sessions.db"}[name]
    before = {entry.text for entry in open_snapshot(file).entries}
    with sqlite3.connect(file) as database:
        database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = 1", [value])
    database.close()
    residue = {entry.text for entry in open_snapshot(file).entries if entry.state == "residue"}
    assert residue <= before


def test_a_search_for_residue_that_ends_early_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = unpacked("langgraph_store", tmp_path) / DATABASES["langgraph_store"]
    assert open_snapshot(file).notes == ()
    monkeypatch.setattr(leftovers, "MOST_DECODED", 1000)
    (note,) = open_snapshot(file).notes
    assert "residue is searched in its first" in note


@pytest.mark.soak
@pytest.mark.cpu(60)
@pytest.mark.parametrize("unit", ['{"', '{"":'])
def test_objects_that_never_end_are_tried_within_bounds(tmp_path: Path, unit: str):
    file = unpacked("langgraph_store", tmp_path) / DATABASES["langgraph_store"]
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE other (value BLOB)")
        database.execute("INSERT INTO other VALUES (?)", [(unit * 4_000_000)[:15_000_000].encode()])
    database.close()
    assert any("residue is searched in its first" in note for note in open_snapshot(file).notes)
