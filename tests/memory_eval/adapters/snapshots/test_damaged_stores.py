"""Damaged files of every store, and shapes that no version wrote: read, or refused in one line."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.memory_eval import inspect_memory, rendered
from assay.memory_eval.errors import WorldUnreadable
from tests.memory_eval.adapters.snapshots.fixtures import DATABASES, STORES, unpacked


def is_read_or_refused(path: Path) -> None:
    line = ""
    try:
        rendered(inspect_memory(path), "json")
    except WorldUnreadable as error:
        line = str(error)
    assert line.isprintable(), line
    assert not (path.parent / "marker").exists()


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, bytes]]:
    folder = tmp_path_factory.mktemp("originals")
    found = {}
    for name, inner in DATABASES.items():
        path = unpacked(name, folder) / inner
        found[name] = (path, path.read_bytes())
    return found


quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@pytest.mark.parametrize("name", DATABASES)
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


@pytest.mark.parametrize("name", DATABASES)
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
odd_cells = odd_values | st.sampled_from(
    [b"", b"\xff\xfe", b"\x80\x04N.", b"\x80\x04]q\x00h\x00a.", b"\x81\xa1a\x90", "[" * 5000, '{"role": ["a"]}']
)


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


def test_every_packed_store_is_small():
    assert all(path.stat().st_size < 16_384 for path in STORES.glob("*.zip"))
