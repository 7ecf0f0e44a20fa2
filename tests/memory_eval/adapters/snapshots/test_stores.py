"""What real systems wrote is read completely: live texts are live, replaced and deleted ones are not."""

from __future__ import annotations

import sqlite3
import sys
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.errors import WorldUnreadable
from tests.memory_eval.adapters.snapshots.fixtures import unpacked
from tests.memory_eval.adapters.snapshots.generators.facts import CHANGED, DELETED, GONE, LIVE

# By store: the version named, the state of what is gone, and whether each live entry has a time.
STORES = {
    "chroma": ("schema embeddings_queue 2, metadb 6, sysdb 10", "residue", True),
    "mem0": (None, "history", True),
    "langgraph_store": ("schema 4", None, True),
    "langgraph_checkpoints": ("checkpoint 2", "history", True),
    "openai_agents": (None, None, True),
    "llama_index": (None, None, False),
    "letta": ("495f3f474131", None, True),
    "autogen": ("component 1", None, False),
    "pg_dump": ("PostgreSQL 18.6", None, True),
}


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Snapshot]:
    folder = tmp_path_factory.mktemp("stores")
    return {name: open_snapshot(unpacked(name, folder)) for name in STORES}


def by_text(snapshot: Snapshot, state: str) -> dict[str, Entry]:
    return {entry.text: entry for entry in snapshot.entries if entry.state == state}


@pytest.mark.parametrize("name", STORES)
def test_every_live_text_is_found_and_nothing_gone_is_live(snapshots: dict[str, Snapshot], name: str):
    snapshot = snapshots[name]
    version, state_of_gone, has_times = STORES[name]
    live = by_text(snapshot, "live")
    assert snapshot.format == name
    assert snapshot.version == version
    assert [text for text in LIVE if text not in live] == []
    assert [text for text in GONE if text in live] == []
    if state_of_gone:
        assert [text for text in GONE if text not in by_text(snapshot, state_of_gone)] == []
    else:
        assert {entry.text for entry in snapshot.entries} & set(GONE) == set()
    assert all((live[text].created is not None) == has_times for text in LIVE)
    assert snapshot.unread == ()
    assert snapshot.num_bytes > 0


def test_ids_are_the_store_s_own_and_stay_when_a_text_changes(snapshots: dict[str, Snapshot]):
    old, new = CHANGED[0]
    for name, state in (("chroma", "residue"), ("mem0", "history")):
        snapshot = snapshots[name]
        assert by_text(snapshot, "live")[new].id == by_text(snapshot, state)[old].id
    for name in ("chroma", "mem0", "langgraph_store", "llama_index"):
        live = snapshots[name].live
        assert max(Counter(entry.id for entry in live).values()) == 1


def test_times_are_those_the_store_recorded(snapshots: dict[str, Snapshot]):
    old, new = CHANGED[0]
    mem0 = snapshots["mem0"]
    changed, replaced = by_text(mem0, "live")[new], by_text(mem0, "history")[old]
    assert changed.created == replaced.created
    assert changed.created
    assert changed.updated == replaced.valid_to
    assert replaced.valid_to
    assert changed.created < replaced.valid_to
    assert by_text(mem0, "history")[DELETED[0]].valid_to
    chroma = by_text(snapshots["chroma"], "residue")
    assert all(chroma[text].valid_to for text in GONE)
    dump = by_text(snapshots["pg_dump"], "live")[new]
    assert dump.created == datetime(2025, 1, 10, 9, tzinfo=UTC)
    assert dump.updated_at == date(2025, 1, 10)


def test_who_said_it_is_kept(snapshots: dict[str, Snapshot]):
    for name, speaker in (
        ("mem0", "user"),
        ("langgraph_checkpoints", "user"),
        ("openai_agents", "user"),
        ("letta", "user"),
    ):
        live = [entry for entry in snapshots[name].live if entry.text == LIVE[0]]
        assert speaker in {entry.speaker for entry in live}, name


def test_an_expired_value_of_langgraph_is_history_and_a_profile_keeps_its_lists(snapshots: dict[str, Snapshot]):
    snapshot = snapshots["langgraph_store"]
    (expired,) = by_text(snapshot, "history").values()
    assert expired.text == "Ada Lund is on leave this week."
    assert expired.valid_to == datetime(2025, 1, 1, tzinfo=UTC)
    assert "name: Ada Lund; languages: Norwegian, English" in by_text(snapshot, "live")


def test_a_log_that_was_not_checkpointed_is_read(tmp_path: Path):
    folder = unpacked("openai_agents", tmp_path)
    snapshot = open_snapshot(folder / "open.db")
    assert [text for text in LIVE if text not in by_text(snapshot, "live")] == []
    assert not any("-wal" in note for note in snapshot.notes)
    (folder / "open.db-wal").unlink()
    with pytest.raises(WorldUnreadable, match=r"no entries|unknown"):
        open_snapshot(folder / "open.db")
    assert any("-wal" in note for note in open_snapshot(folder / "sessions.db").notes)


@pytest.mark.parametrize("name", STORES)
def test_a_link_next_to_a_store_is_named(tmp_path: Path, name: str):
    folder = unpacked(name, tmp_path)
    (folder / "link.json").symlink_to(tmp_path)
    assert any("link.json" in line for line in open_snapshot(folder).unread)


def test_nothing_is_written_next_to_a_store(tmp_path: Path):
    for name in STORES:
        folder = unpacked(name, tmp_path)
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        open_snapshot(folder)
        assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_mem0_s_history_alone_is_read_by_its_events(tmp_path: Path):
    snapshot = open_snapshot(unpacked("mem0", tmp_path) / "history.db")
    assert set(by_text(snapshot, "live")) == set(LIVE)
    assert set(by_text(snapshot, "history")) == set(GONE)
    assert any("vector store is not here" in note for note in snapshot.notes)


def test_a_single_file_of_a_store_is_read_as_its_folder(tmp_path: Path):
    folder = unpacked("chroma", tmp_path)
    renamed = (folder / "chroma.sqlite3").rename(tmp_path / "memory.bin")
    assert {entry.text for entry in open_snapshot(renamed).live} == set(LIVE)


# ------------------------------------------------------------------ graphs


def test_graphiti_s_export_keeps_invalidated_facts_as_history(tmp_path: Path):
    snapshot = open_snapshot(unpacked("graphiti", tmp_path) / "export.json")
    live, history = by_text(snapshot, "live"), by_text(snapshot, "history")
    assert snapshot.format == "graphiti"
    assert set(LIVE) <= set(live)
    assert set(history) == {old for old, _ in CHANGED}
    assert {entry.valid_to for entry in history.values()} == {datetime(2025, 3, 2, 9, tzinfo=UTC)}
    assert live[LIVE[0]].about == "Ada Lund"
    assert live[LIVE[0]].created == datetime(2025, 1, 10, 9, tzinfo=UTC)


def test_a_kuzu_database_is_read_by_its_extra_or_names_it(tmp_path: Path):
    graph = unpacked("graphiti", tmp_path) / "graph.kuzu"
    if "kuzu" not in sys.modules and not _is_installed("kuzu"):
        with pytest.raises(WorldUnreadable, match="`kuzu` extra") as caught:
            open_snapshot(graph)
        assert caught.value.code == "snapshot.extra"
        return
    snapshot = open_snapshot(graph)
    assert set(LIVE) <= set(by_text(snapshot, "live"))
    assert set(by_text(snapshot, "history")) == {old for old, _ in CHANGED}


def _is_installed(name: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(name) is not None


# ------------------------------------------------------------------ mapping


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.db"
    with sqlite3.connect(path) as database:
        database.execute('CREATE TABLE "my notes" (n INTEGER, body TEXT, made TEXT, gone INTEGER, who TEXT)')
        rows = [(1, LIVE[0], "2025-01-10", 0, "ada"), (2, GONE[0], "2025-01-09", 1, "bo"), (3, None, None, 0, None)]
        database.executemany('INSERT INTO "my notes" VALUES (?, ?, ?, ?, ?)', rows)
    database.close()
    return path


def test_any_sqlite_is_read_by_a_mapping(notes: Path, tmp_path: Path):
    mapping = tmp_path / "mapping.yml"
    mapping.write_text("table: my notes\ntext: body\nid: n\ncreated: made\ndeleted: gone\nspeaker: who\n")
    snapshot = open_snapshot(notes, mapping)
    live, gone = snapshot.entries
    assert (snapshot.format, live.text, live.id, live.speaker, live.state) == ("sqlite", LIVE[0], "1", "ada", "live")
    assert live.created == datetime(2025, 1, 10, tzinfo=UTC)
    assert (gone.text, gone.state) == (GONE[0], "history")
    assert len(snapshot.unread) == 1


@pytest.mark.parametrize(
    "text",
    [
        "text: body",
        "table: my notes\ntext: body\ntexts: x",
        "[1",
        "- a",
        "table: &x y\ntext: *x",
        "table: no\ntext: body",
        "table: my notes\ntext: no",
        "x" * 70_000,
        "table: 1\ntext: 2",
    ],
)
def test_a_mapping_that_does_not_fit_is_one_line(notes: Path, tmp_path: Path, text: str):
    mapping = tmp_path / "mapping.yml"
    mapping.write_text(text)
    with pytest.raises(WorldUnreadable) as caught:
        open_snapshot(notes, mapping)
    assert caught.value.exit_code == 2
    assert str(caught.value).isprintable()


def test_a_row_is_live_until_its_time_ends(notes: Path, tmp_path: Path):
    with sqlite3.connect(notes) as database:
        database.execute("CREATE TABLE ended (body TEXT, until TEXT)")
        rows = [("kept", "2999-01-01"), ("open", None), ("over", "2020-01-01"), ("odd", "some day")]
        database.executemany("INSERT INTO ended VALUES (?, ?)", rows)
    database.close()
    mapping = tmp_path / "mapping.yml"
    mapping.write_text("table: ended\ntext: body\nvalid_to: until\n")
    states = {entry.text: entry.state for entry in open_snapshot(notes, mapping).entries}
    assert states == {"kept": "live", "open": "live", "over": "history", "odd": "history"}


def test_sqlite_without_a_mapping_names_its_tables(notes: Path):
    with pytest.raises(WorldUnreadable, match=r"my notes.*--mapping"):
        open_snapshot(notes)
