"""What real systems wrote is read completely: live texts are live, replaced and deleted ones are not."""

from __future__ import annotations

import base64
import json
import os
import pickle
import sqlite3
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.memory_eval import inspect_memory, rendered
from assay.memory_eval.adapters.snapshots import sqlite
from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.errors import WorldUnreadable
from tests.memory_eval.adapters.snapshots.fixtures import DATABASES, changed, refusal, unpacked
from tests.memory_eval.adapters.snapshots.generators.facts import CHANGED, DELETED, GONE, LIVE

# By store: the state of what is gone.
STORES = {
    "chroma": None,
    "mem0": "history",
    "langgraph_store": None,
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
    state_of_gone = STORES[name]
    live = by_text(snapshot, "live")
    assert snapshot.format == name
    assert [text for text in LIVE if text not in live] == []
    assert [text for text in GONE if text in live] == []
    if state_of_gone:
        assert [text for text in GONE if text not in by_text(snapshot, state_of_gone)] == []
    else:
        assert {entry.text for entry in snapshot.entries} & set(GONE) == set()
    assert all(live[text].created is not None for text in LIVE)
    assert snapshot.unread == ()
    assert snapshot.num_bytes > 0


def test_ids_are_the_store_s_own_and_stay_when_a_text_changes(snapshots: dict[str, Snapshot]):
    old, new = CHANGED[0]
    mem0 = snapshots["mem0"]
    assert by_text(mem0, "live")[new].id == by_text(mem0, "history")[old].id
    for name in STORES:
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


def test_who_said_it_is_kept(snapshots: dict[str, Snapshot]):
    assert by_text(snapshots["mem0"], "live")[LIVE[0]].speaker == "user"


def test_an_expired_value_of_langgraph_is_history_and_a_profile_keeps_its_lists(snapshots: dict[str, Snapshot]):
    snapshot = snapshots["langgraph_store"]
    (expired,) = by_text(snapshot, "history").values()
    assert expired.text == "Ada Lund is on leave this week."
    assert expired.valid_to == datetime(2025, 1, 1, tzinfo=UTC)
    assert "name: Ada Lund; languages: Norwegian, English" in by_text(snapshot, "live")


def test_a_log_that_was_not_checkpointed_is_read(tmp_path: Path):
    database = sqlite3.connect(tmp_path / "open.db")
    database.execute("PRAGMA journal_mode = wal")
    database.execute("CREATE TABLE notes (body TEXT)")
    database.commit()
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.execute("INSERT INTO notes VALUES (?)", [LIVE[0]])
    database.commit()
    mapping = tmp_path / "mapping.yml"
    mapping.write_text("table: notes\ntext: body\n")
    copy = tmp_path / "copy.db"
    for suffix in ("", "-wal"):
        copy.with_name(f"copy.db{suffix}").write_bytes((tmp_path / f"open.db{suffix}").read_bytes())
    database.close()
    snapshot = open_snapshot(copy, mapping)
    assert [entry.text for entry in snapshot.live] == [LIVE[0]]
    assert snapshot.notes == ()
    (tmp_path / "copy.db-wal").unlink()
    with pytest.raises(WorldUnreadable, match="no entries"):
        open_snapshot(copy, mapping)


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


def test_a_single_file_of_a_store_is_read_as_its_folder(tmp_path: Path):
    folder = unpacked("chroma", tmp_path)
    renamed = (folder / "chroma.sqlite3").rename(tmp_path / "memory.bin")
    assert {entry.text for entry in open_snapshot(renamed).live} == set(LIVE)


# ------------------------------------------------------------------ exports


def test_an_export_as_json_lines_has_ids_times_and_what_ended(tmp_path: Path):
    later = (datetime.now(UTC) + timedelta(days=30)).isoformat()
    rows = [
        {"id": "a", "text": "Ada works here.", "created": "2025-01-10T09:00:00Z", "valid_to": later, "role": "user"},
        {"uuid": "b", "fact": "Bo works here.", "invalid_at": "2020-01-01T00:00:00Z"},
        {"id": "c", "text": "Cy works here.", "expired_at": "at some time"},
        {"id": "d", "text": "Dee works here.", "valid_to": None},
    ]
    path = tmp_path / "export.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    snapshot = open_snapshot(path)
    assert {entry.id: entry.state for entry in snapshot.entries} == {
        "a": "live", "b": "history", "c": "history", "d": "live",
    }  # fmt: skip
    first = snapshot.entries[0]
    assert (first.created, first.speaker) == (datetime(2025, 1, 10, 9, tzinfo=UTC), "user")
    assert {entry.id for entry in snapshot.at(datetime(2019, 1, 1, tzinfo=UTC)).live} == {"a", "b", "d"}


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


# ------------------------------------------------------------------ hostile and damaged


class _Call:
    def __init__(self, name: str) -> None:
        self._name = name

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self._name}",)


def mem0_with(folder: Path, point: bytes) -> Path:
    folder.mkdir()
    file = unpacked("mem0", folder) / DATABASES["mem0"]
    with sqlite3.connect(file) as database:
        database.execute("INSERT INTO points VALUES (?, ?)", (base64.b64encode(point).decode(), point))
    database.close()
    return file


def test_a_pickle_that_calls_something_or_is_damaged_is_refused_and_not_run(tmp_path: Path):
    marker = tmp_path / "marker"
    points = [pickle.dumps(_Call(str(marker)), protocol) for protocol in range(6)]
    head = b"\x80\x04\x8c\x20qdrant_client.http.models.models\x8c\x0bPointStruct\x93)"
    points += [
        b"cos\nsystem\n(S'touch marker'\ntR.",
        b"\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x011\x85R.",
        b"\x80\x04" + b"]" * 100_000 + b".",
        b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"\x80\x04}}s.",
        head + b"R.",
        head + b"\x81}\x8c\x02id" + pickle.dumps(["a"], 4)[2:-1].replace(b"\x94", b"") + b"sb.",
        b"",
        b"not a pickle",
    ]
    for number, point in enumerate(points):
        error = refusal(mem0_with(tmp_path / str(number), point))
        assert error.code in ("snapshot.refused", "snapshot.unknown-version"), point[:40]
        assert number > 5 or "posix.system" in str(error) or "nt.system" in str(error)
    assert not marker.exists()


def test_views_virtual_tables_triggers_and_functions_of_a_schema_are_not_used(tmp_path: Path):
    view = "CREATE VIEW store AS SELECT 'a' prefix, 'b' key, '{\"text\":\"planted\"}' value FROM kept"
    (tmp_path / "view").mkdir()
    refusal(changed(tmp_path / "view", "langgraph_store", "ALTER TABLE store RENAME TO kept", view))
    file = changed(
        tmp_path,
        "langgraph_store",
        "CREATE TRIGGER points AFTER UPDATE ON store BEGIN DELETE FROM store; END",
        "CREATE INDEX costly ON store (length(value))",
        "CREATE VIRTUAL TABLE history USING fts5(memory_id, event)",
    )
    before = file.read_bytes()
    assert open_snapshot(file).live
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "table", "column"),
    [("chroma", "embeddings", "embedding_id"), ("mem0", "points", "point"), ("langgraph_store", "store", "value")],
)
def test_a_missing_column_is_an_unknown_database(tmp_path: Path, name: str, table: str, column: str):
    error = refusal(changed(tmp_path, name, f"ALTER TABLE {table} RENAME COLUMN {column} TO other"))
    assert error.code == "snapshot.unknown-format"
    assert "--mapping" in str(error)


def test_links_size_time_and_another_writer_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = unpacked("langgraph_store", tmp_path) / DATABASES["langgraph_store"]
    (tmp_path / "link.db").symlink_to(file)
    assert refusal(tmp_path / "link.db").code == "snapshot.link"
    file.with_name(f"{file.name}-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\0" * 504)
    assert any("-journal" in note for note in open_snapshot(file).notes)
    with monkeypatch.context() as patched:
        patched.setattr(sqlite, "MOST_DATABASE_BYTES", 10_000)
        assert refusal(file).code == "snapshot.too-large"
    with monkeypatch.context() as patched:
        patched.setattr("shutil.copyfile", lambda one, _: one.write_bytes(one.read_bytes() + b"\0" * 4096))
        assert "another process" in str(refusal(file))
    log = file.with_name(f"{file.name}-wal")
    log.symlink_to(tmp_path / "secret")
    refusal(file)


def test_a_read_that_takes_too_long_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file, mapping = tmp_path / "slow.db", tmp_path / "mapping.yml"
    mapping.write_text("table: notes\ntext: body\n")
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE notes (body TEXT)")
        database.executemany("INSERT INTO notes VALUES (?)", [("x",)] * 50_000)
    database.close()
    monkeypatch.setattr(sqlite, "MOST_SECONDS", -1)
    with pytest.raises(WorldUnreadable, match="takes longer"):
        open_snapshot(file, mapping)


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, bytes]]:
    folder = tmp_path_factory.mktemp("originals")
    found = {name: unpacked(name, folder) / inner for name, inner in DATABASES.items()}
    return {name: (path, path.read_bytes()) for name, path in found.items()}


ODD_CELLS = st.sampled_from([
    None, 0, -1, 2**62, 1e308, -(10**17), float("inf"), "", "²", "x" * 30_000, "\0", "\x1b[31m", "2025-13-45",
    "0001-01-01T00:00:00+14:00", "[1]", '{"a":', b"", b"\xff\xfe", b"\x80\x04N.", b"\x80\x04]q\x00h\x00a.", "[" * 5000,
])  # fmt: skip


def is_read_or_refused(path: Path) -> None:
    line = ""
    try:
        rendered(inspect_memory(path), "json")
    except WorldUnreadable as error:
        line = str(error)
    assert line.isprintable(), line


@pytest.mark.parametrize("name", DATABASES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_damaged_files_and_odd_cells_are_read_or_refused_in_a_line(
    originals: dict[str, tuple[Path, bytes]], name: str, data: st.DataObject
):
    path, whole = originals[name]
    damaged = bytearray(whole[: int(len(whole) * data.draw(st.sampled_from([0.0, 0.3, 0.9, 1.0, 1.0])))])
    for place in data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=20)) if len(damaged) == len(whole) else ():
        damaged[place] = data.draw(st.integers(0, 255))
    path.write_bytes(damaged)
    is_read_or_refused(path)
    path.write_bytes(whole)
    with sqlite3.connect(path) as database:
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        table = data.draw(st.sampled_from(tables))
        column = data.draw(st.sampled_from([row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]))
        try:
            database.execute(f'UPDATE "{table}" SET "{column}" = ?', [data.draw(ODD_CELLS)])
        except sqlite3.Error:
            return
        finally:
            database.commit()
    database.close()
    is_read_or_refused(path)
