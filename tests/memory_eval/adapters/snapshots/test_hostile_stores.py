"""Damaged, hostile and unknown stores: one line and exit 2; nothing runs, and nothing is written."""

from __future__ import annotations

import base64
import os
import pickle
import sqlite3
import struct
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from assay.memory_eval.adapters.snapshots.decoding import sqlite_file
from assay.memory_eval.adapters.snapshots.decoding.plain_copy import copied
from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from tests.memory_eval.adapters.snapshots.fixtures import DATABASES, changed, refusal, unpacked
from tests.memory_eval.adapters.snapshots.msgpack_writer import packed

# ------------------------------------------------------------------ pickles


class _Call:
    def __init__(self, name: str) -> None:
        self._name = name

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self._name}",)


def mem0_with(tmp_path: Path, point: bytes) -> Path:
    file = unpacked("mem0", tmp_path) / DATABASES["mem0"]
    with sqlite3.connect(file) as database:
        database.execute("INSERT INTO points VALUES (?, ?)", (base64.b64encode(point).decode(), point))
    database.close()
    return file


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_that_calls_something_is_refused_and_not_run(tmp_path: Path, protocol: int):
    marker = tmp_path / "marker"
    error = refusal(mem0_with(tmp_path, pickle.dumps(_Call(str(marker)), protocol)))
    assert error.code == "snapshot.refused"
    assert "posix.system" in str(error) or "nt.system" in str(error)
    assert not marker.exists()


@pytest.mark.parametrize(
    "point",
    [
        b"cos\nsystem\n(S'touch marker'\ntR.",
        b"\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x011\x85R.",
        b"(i__main__\nX\n.",
        b"\x80\x04\x8c\x20qdrant_client.http.models.models\x8c\x0bPointStruct\x93\x8c\x011\x85\x81.",
        b"\x80\x04\x8c\x20qdrant_client.http.models.models\x8c\x0bPointStruct\x93)R.",
        b"\x80\x04" + b"]" * 100_000 + b".",
        b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7fx.",
        b"\x80\x04}}s.",
        b"Pid\n.",
        b"\x80\x04\x82\x01.",
        b"",
        b"not a pickle",
    ],
    ids=lambda point: repr(point[:24]),
)
def test_other_programs_and_damaged_pickles_are_refused(tmp_path: Path, point: bytes):
    error = refusal(mem0_with(tmp_path, point))
    assert error.code in ("snapshot.refused", "snapshot.unknown-version")


@pytest.mark.cpu(20)
def test_a_point_whose_id_is_a_structure_is_refused(tmp_path: Path):
    head = b"\x80\x04\x8c\x20qdrant_client.http.models.models\x8c\x0bPointStruct\x93)\x81}\x8c\x02id"
    error = refusal(mem0_with(tmp_path, head + pickle.dumps(["a"], 4)[2:-1].replace(b"\x94", b"") + b"sb."))
    assert error.code in ("snapshot.refused", "snapshot.unknown-version")


# ------------------------------------------------------------------ checkpoints


def checkpoints_with(tmp_path: Path, kind: str | None, data: bytes) -> Path:
    file = unpacked("langgraph_checkpoints", tmp_path) / DATABASES["langgraph_checkpoints"]
    with sqlite3.connect(file) as database:
        database.execute("UPDATE checkpoints SET type = ?, checkpoint = ?", (kind, data))
    database.close()
    return file


def test_checkpoints_of_another_serialization_are_refused(tmp_path: Path):
    marker = tmp_path / "marker"
    error = refusal(checkpoints_with(tmp_path, "pickle", pickle.dumps(_Call(str(marker)))))
    assert error.code == "snapshot.refused"
    assert not marker.exists()


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("msgpack+aes", b"x"),
        (None, b"x"),
        ("msgpack", b"\x80"),
        ("msgpack", b"\xc1"),
        ("msgpack", packed({"channel_values": 1})),
        ("msgpack", packed({"channel_values": {}})[:-1]),
        ("msgpack", packed({"channel_values": {}}) + b"\xc0"),
        ("msgpack", b"\x91" * 5000 + b"\xc0"),
        ("msgpack", b"\xdd\xff\xff\xff\xff"),
        ("msgpack", b"\xc6\xff\xff\xff\xffx"),
        ("msgpack", b"\x81\x90\xc0"),
        ("json", b"{"),
        ("json", b"[" * 100_000),
    ],
)
def test_damaged_and_unknown_checkpoints_are_one_line(tmp_path: Path, kind: str | None, data: bytes):
    refusal(checkpoints_with(tmp_path, kind, data))


def test_a_class_that_a_checkpoint_names_is_not_imported(tmp_path: Path):
    inner = packed(["os", "system", {"content": "touch marker", "type": "human", "id": "m"}, "model_validate_json"])
    call = b"\xc9" + struct.pack(">I", len(inner)) + b"\x05" + inner
    data = b"\x81" + packed("channel_values") + b"\x81" + packed("messages") + b"\x91" + call
    snapshot = open_snapshot(checkpoints_with(tmp_path, "msgpack", data))
    assert {entry.text for entry in snapshot.live} == {"touch marker"}
    assert not Path("marker").exists()


@pytest.fixture
def long_thread(tmp_path: Path) -> Path:
    """40 checkpoints, each with all 50 messages of 5,000 characters."""
    path = tmp_path / "long.db"
    messages = [{"id": str(number), "type": "human", "content": f"{number} " + "x" * 5000} for number in range(50)]
    with sqlite3.connect(path) as database:
        database.execute(
            "CREATE TABLE checkpoints (thread_id, checkpoint_ns, checkpoint_id, type, checkpoint, metadata)"
        )
        for number in range(40):
            state = {"v": 4, "ts": "2025-01-10T09:00:00Z", "channel_values": {"messages": messages}}
            row = ("t", "", f"{number:04}", "msgpack", packed(state), b"")
            database.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?)", row)
    database.close()
    return path


def test_only_the_new_texts_of_a_state_are_kept(long_thread: Path):
    tracemalloc.start()
    try:
        snapshot = open_snapshot(long_thread)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(snapshot.live) == len(snapshot.entries) == 50
    assert peak < 4 * 2**20, "of 10 MB of texts"


# ------------------------------------------------------------------ SQLite


def test_a_view_with_the_table_s_name_is_not_read(tmp_path: Path):
    view = "CREATE VIEW store AS SELECT 'a' prefix, 'b' key, '{\"text\":\"planted\"}' value FROM kept"
    file = changed(tmp_path, "langgraph_store", "ALTER TABLE store RENAME TO kept", view)
    refusal(file)


def test_a_virtual_table_and_generated_columns_are_not_read(tmp_path: Path):
    path = tmp_path / "generated.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE points (id TEXT, point BLOB AS (x'00') STORED)")
        database.execute("INSERT INTO points VALUES ('a')")
        database.execute("CREATE VIRTUAL TABLE history USING fts5(memory_id, event)")
    database.close()
    refusal(path)


def test_triggers_and_functions_in_the_schema_do_not_run(tmp_path: Path):
    file = changed(
        tmp_path,
        "langgraph_store",
        "CREATE TRIGGER agent_messages AFTER UPDATE ON store BEGIN DELETE FROM store; END",
        "CREATE INDEX costly ON store (length(value))",
    )
    before = file.read_bytes()
    assert open_snapshot(file).live
    assert file.read_bytes() == before


@pytest.mark.parametrize("name", DATABASES)
def test_a_missing_column_is_an_unknown_version(tmp_path: Path, name: str):
    table, column, other = {
        "chroma": ("embeddings", "embedding_id", "key"),
        "mem0": ("history", "old_memory", "former"),
        "langgraph_store": ("store", "value", "content"),
        "langgraph_checkpoints": ("checkpoints", "checkpoint", "state"),
        "openai_agents": ("agent_messages", "message_data", "item"),
    }[name]
    folder = unpacked(name, tmp_path)
    file = folder / ("history.db" if name == "mem0" else DATABASES[name])
    with sqlite3.connect(file) as database:
        database.execute(f"ALTER TABLE {table} RENAME COLUMN {column} TO {other}")
    database.close()
    error = refusal(file)
    assert error.code == "snapshot.unknown-version"
    assert column in str(error)


def test_links_are_refused_for_the_database_and_its_log(tmp_path: Path):
    file = unpacked("openai_agents", tmp_path) / "open.db"
    secret = tmp_path / "secret"
    secret.write_text("not to be read")
    (tmp_path / "link.db").symlink_to(file)
    assert refusal(tmp_path / "link.db").code == "snapshot.link"
    log = file.with_name("open.db-wal")
    log.unlink()
    log.symlink_to(secret)
    refusal(file)


def test_large_databases_cells_and_slow_ones_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = unpacked("langgraph_store", tmp_path) / DATABASES["langgraph_store"]
    monkeypatch.setattr(sqlite_file, "MOST_DATABASE_BYTES", 10_000)
    sqlite_file._tables_of.cache_clear()
    assert refusal(file).code == "snapshot.too-large"
    monkeypatch.undo()
    sqlite_file._tables_of.cache_clear()
    with sqlite3.connect(file) as database:
        database.execute("UPDATE store SET value = zeroblob(17000000) WHERE key = 'fact-0'")
    database.close()
    refusal(file)


def test_a_read_that_takes_too_long_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "slow.db"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE agent_sessions (session_id TEXT)")
        database.execute("CREATE TABLE agent_messages (id INTEGER, session_id TEXT, message_data TEXT)")
        rows = ((number, "s", "{}") for number in range(50_000))
        database.executemany("INSERT INTO agent_messages VALUES (?, ?, ?)", rows)
    database.close()
    assert sqlite_file.tables_of(file)
    monkeypatch.setattr(sqlite_file, "MOST_SECONDS", -1)
    began = time.process_time()
    assert "takes longer" in str(refusal(file))
    assert time.process_time() - began < 10


def test_a_replaced_file_is_noticed_while_it_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = unpacked("langgraph_store", tmp_path) / DATABASES["langgraph_store"]

    def writing(source: Path, target: Path, most: int) -> int:
        size = copied(source, target, most)
        with source.open("ab") as other:
            other.write(b"\0" * 4096)
        return size

    monkeypatch.setattr(sqlite_file, "copied", writing)
    sqlite_file._tables_of.cache_clear()
    assert "another process" in str(refusal(file))
    sqlite_file._tables_of.cache_clear()


def test_an_interrupted_transaction_is_noted_and_its_journal_is_not_replayed(tmp_path: Path):
    file = unpacked("langgraph_store", tmp_path) / DATABASES["langgraph_store"]
    file.with_name("store.sqlite-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\0" * 504)
    assert any("-journal" in note for note in open_snapshot(file).notes)
