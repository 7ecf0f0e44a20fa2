"""Damaged, hostile and unknown stores: one line and exit 2; nothing runs, and nothing is written."""

from __future__ import annotations

import base64
import os
import pickle
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from assay.memory_eval.adapters.snapshots import sqlite_file
from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from tests.memory_eval.adapters.snapshots.fixtures import DATABASES, changed, refusal, unpacked

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
        "CREATE TRIGGER points AFTER UPDATE ON store BEGIN DELETE FROM store; END",
        "CREATE INDEX costly ON store (length(value))",
    )
    before = file.read_bytes()
    assert open_snapshot(file).live
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "table", "column"),
    [("chroma", "embeddings", "embedding_id"), ("mem0", "points", "point"), ("langgraph_store", "store", "value")],
)
def test_a_missing_column_is_an_unknown_database(tmp_path: Path, name: str, table: str, column: str):
    file = changed(tmp_path, name, f"ALTER TABLE {table} RENAME COLUMN {column} TO other")
    error = refusal(file)
    assert error.code == "snapshot.unknown-format"
    assert "--mapping" in str(error)


def test_links_are_refused_for_the_database_and_its_log(tmp_path: Path):
    file = unpacked("langgraph_store", tmp_path) / DATABASES["langgraph_store"]
    secret = tmp_path / "secret"
    secret.write_text("not to be read")
    (tmp_path / "link.db").symlink_to(file)
    assert refusal(tmp_path / "link.db").code == "snapshot.link"
    log = file.with_name(f"{file.name}-wal")
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
        columns = "prefix TEXT, key TEXT, value TEXT, created_at TEXT, updated_at TEXT, expires_at TEXT"
        database.execute(f"CREATE TABLE store ({columns})")
        rows = (("s", str(number), "{}") for number in range(50_000))
        database.executemany("INSERT INTO store (prefix, key, value) VALUES (?, ?, ?)", rows)
    database.close()
    assert sqlite_file.tables_of(file)
    monkeypatch.setattr(sqlite_file, "MOST_SECONDS", -1)
    began = time.process_time()
    assert "takes longer" in str(refusal(file))
    assert time.process_time() - began < 10


def test_a_replaced_file_is_noticed_while_it_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = unpacked("langgraph_store", tmp_path) / DATABASES["langgraph_store"]

    copied = sqlite_file._copied_file

    def writing(source: Path, target: Path) -> int:
        size = copied(source, target)
        with source.open("ab") as other:
            other.write(b"\0" * 4096)
        return size

    monkeypatch.setattr(sqlite_file, "_copied_file", writing)
    sqlite_file._tables_of.cache_clear()
    assert "another process" in str(refusal(file))
    sqlite_file._tables_of.cache_clear()


def test_an_interrupted_transaction_is_noted_and_its_journal_is_not_replayed(tmp_path: Path):
    file = unpacked("langgraph_store", tmp_path) / DATABASES["langgraph_store"]
    file.with_name("store.sqlite-journal").write_bytes(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\0" * 504)
    assert any("-journal" in note for note in open_snapshot(file).notes)
