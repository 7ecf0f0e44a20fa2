"""Damaged files of every store, and shapes that no version wrote: read, or refused in one line."""

from __future__ import annotations

import contextlib
import copy
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.memory_eval import inspect_memory, inspection_json
from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from assay.memory_eval.errors import WorldUnreadable
from tests.memory_eval.adapters.snapshots.fixtures import DATABASES, FILES, STORES, changed, refusal, unpacked


def is_read_or_refused(path: Path) -> None:
    line = ""
    try:
        inspection_json(inspect_memory(path))
    except WorldUnreadable as error:
        line = str(error)
    assert line.isprintable(), line
    assert not (path.parent / "marker").exists()


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, bytes]]:
    folder = tmp_path_factory.mktemp("originals")
    found = {}
    for name, inner in FILES.items():
        path = unpacked(name, folder) / inner
        found[name] = (path, path.read_bytes())
    return found


quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@pytest.mark.parametrize("name", FILES)
@quick
@given(data=st.data())
def test_flipped_bytes_are_read_or_refused(originals: dict[str, tuple[Path, bytes]], name: str, data: st.DataObject):
    path, whole = originals[name]
    flipped = bytearray(whole)
    for place, value in data.draw(
        st.lists(st.tuples(st.integers(0, len(whole) - 1), st.integers(0, 255)), min_size=1, max_size=20)
    ):
        flipped[place] = value
    path.write_bytes(flipped)
    is_read_or_refused(path)


@pytest.mark.parametrize("name", FILES)
@quick
@given(share=st.floats(0, 1))
def test_cut_off_files_are_read_or_refused(originals: dict[str, tuple[Path, bytes]], name: str, share: float):
    path, whole = originals[name]
    path.write_bytes(whole[: int(len(whole) * share)])
    is_read_or_refused(path)


odd_values = st.sampled_from(
    [
        None,
        True,
        0,
        -1,
        2**62,
        1e308,
        -(10**17),
        1e17,
        float("nan"),
        float("inf"),
        "",
        "²",
        "x" * 30_000,
        "\0",
        "\x1b[31m",
    ]
) | st.sampled_from([-(10**17), "2025-13-45", "0001-01-01T00:00:00+14:00", "[1]", '{"a":'])
odd_json = odd_values | st.sampled_from([[], {}, [[]], [None], {"": ""}, {"text": {"text": []}}, "\ud800", 10**30])
odd_cells = odd_values | st.sampled_from(
    [b"", b"\xff\xfe", b"\x80\x04N.", b"\x80\x04]q\x00h\x00a.", b"\x81\xa1a\x90", "[" * 5000, '{"role": ["a"]}']
)


def objects_within(value: Any) -> list[dict[str, Any]]:
    """Return every object inside a JSON value, and the value itself if it is one."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [*([value] if isinstance(value, dict) else []), *(one for part in inner for one in objects_within(part))]


@pytest.mark.parametrize("name", [name for name, inner in FILES.items() if inner.endswith((".json", ".af"))])
@quick
@given(data=st.data())
def test_a_value_of_another_type_is_read_or_refused(
    originals: dict[str, tuple[Path, bytes]], name: str, data: st.DataObject
):
    path, whole = originals[name]
    value = json.loads(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        holders = objects_within(value)
        holder = holders[data.draw(st.integers(0, len(holders) - 1))]
        if holder:
            holder[data.draw(st.sampled_from(list(holder)))] = copy.deepcopy(data.draw(odd_json))
    path.write_text(json.dumps(value))
    is_read_or_refused(path)


@pytest.mark.parametrize("name", [*DATABASES, "history"])
@quick
@given(data=st.data())
def test_a_cell_of_another_type_is_read_or_refused(
    originals: dict[str, tuple[Path, bytes]], name: str, data: st.DataObject
):
    path, whole = originals["mem0" if name == "history" else name]
    if name == "history":
        path = path.parents[3] / "history.db"
        whole = originals.setdefault(name, (path, path.read_bytes()))[1]
    path.write_bytes(whole)
    with sqlite3.connect(path) as database:
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        table = data.draw(st.sampled_from(tables))
        column = data.draw(st.sampled_from([row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]))
        with contextlib.suppress(sqlite3.Error):
            database.execute(f'UPDATE "{table}" SET "{column}" = ?', [data.draw(odd_cells)])
    database.close()
    is_read_or_refused(path)


JSON_CASES: dict[str, Callable[[], str]] = {
    "llama_index": lambda: '{"docstore/data": 5}',
    "llama_index list": lambda: '{"docstore/data": [1, 2]}',
    "llama_index nodes": lambda: '{"docstore/data": {"a": {"__data__": {"text": 5}}, "b": 1}}',
    "letta": lambda: '{"agent_type": "x", "llm_config": {}, "agents": 7}',
    "letta new": lambda: '{"agent_type": "x", "core_memory": "moved", "version": "9"}',
    "autogen": lambda: '{"memory_contents": [1, {"content": 5}, null]}',
    "autogen deep": lambda: '{"memory_contents": [' + '{"a":' * 5000,
    "graphiti": lambda: '{"edges": [{"fact": 1, "invalid_at": 2}]}',
    "graphiti cut": lambda: '[{"fact": "a", "invalid_at": null}, {"fact',
    "redis": lambda: '[{"key": "a", "type": "hash", "value": {}}]',
    "pg_dump": lambda: "--\n-- PostgreSQL database dump\n--\nCOPY a (data) FROM stdin;\nx\n",
    "pg_dump row": lambda: "--\n-- PostgreSQL database dump\n--\nCOPY a (data) FROM stdin;\nx\ty\n\\.\n",
}


@pytest.mark.parametrize("name", JSON_CASES)
def test_unknown_shapes_are_refused_in_a_line(tmp_path: Path, name: str):
    path = tmp_path / "store.json"
    path.write_text(JSON_CASES[name]())
    refusal(path)


def test_an_encrypted_session_is_named(tmp_path: Path):
    item = json.dumps({"__enc__": 1, "v": 1, "payload": "gAAAA"})
    file = changed(tmp_path, "openai_agents", f"UPDATE agent_messages SET message_data = '{item}'")
    assert refusal(file).code == "snapshot.refused"


def test_every_packed_store_is_small():
    assert all(path.stat().st_size < 16_384 for path in STORES.glob("*.zip"))


def test_a_newer_schema_than_those_tried_is_noted(tmp_path: Path):
    file = changed(tmp_path, "chroma", "UPDATE migrations SET version = 99 WHERE dir = 'sysdb' AND version = 10")
    snapshot = open_snapshot(file)
    assert snapshot.live
    assert any("newer than" in note for note in snapshot.notes)
