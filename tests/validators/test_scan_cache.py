"""What was found in files is kept between runs, and nothing that happens to it matters."""

from __future__ import annotations

import multiprocessing
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators import languages
from assay.validators.graph import scan_cache
from assay.validators.graph.import_graph import build_graph
from assay.validators.graph.scan_cache import ScanCache, default_cache
from assay.validators.io import row_cache
from assay.validators.io.row_cache import version_of
from assay.validators.languages.language import Import, Scan
from assay.validators.languages.register import LANGUAGES
from tests.validators.languages.trees import edges_of, tree_of

FILES = {
    "a.py": "import b as c\nfrom b import *\n",
    "b.py": "import sys\nsys.path\n",
    "c.ts": "import d, { e as f } from './d'\n",
    "d.ts": "",
    "e.go": "package e\n\nfunc E() { F() }\n",
    "f.go": "package e\n\nfunc F() {}\n",
}
SCAN = Scan((Import(3, "x", (("a", "b"), ("*", "")), "y", "from", False),), True, True, "p", ("A", "B."), ("p.A", "c"))


@pytest.fixture
def cache(tmp_path: Path) -> ScanCache:
    return ScanCache(tmp_path / "cache" / "scans.sqlite")


def test_what_was_found_is_not_looked_for_again(cache: ScanCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    first = build_graph(tree_of(FILES, tmp_path / "tree"), store=cache)
    for kind in {type(language) for language in LANGUAGES.values()}:
        monkeypatch.delattr(kind, "scan")
    second = build_graph(tree_of(FILES, tmp_path / "tree"), store=cache)
    assert edges_of(second) == edges_of(first) == {"a.py": ["b.py"], "c.ts": ["d.ts"], "e.go": ["f.go"]}
    assert second.sources.scans == first.sources.scans


def test_a_scan_comes_back_as_it_was_kept(cache: ScanCache):
    cache.save({("python", "1"): SCAN, ("javascript", "1"): Scan()})
    assert cache.load([("python", "1"), ("javascript", "1"), ("python", "2")]) == {
        ("python", "1"): SCAN,
        ("javascript", "1"): Scan(),
    }


@given(st.text(st.characters(codec="utf-8") | st.characters(categories=["Cs"])), st.text())
def test_any_name_comes_back_as_it_was_kept(target: str, name: str):
    scan = Scan((Import(1, target, ((name, target),), name),))
    assert scan_cache._scan(scan_cache._text(scan)) == scan


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_file_is_replaced(content: bytes, cache: ScanCache):
    cache.rows.path.parent.mkdir()
    cache.rows.path.write_bytes(content)
    for _ in range(2):
        cache.load([("python", "1")])
        cache.save({("python", "1"): SCAN})
    assert cache.load([("python", "1")]) == {("python", "1"): SCAN}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "[1,2,3]",
        '[1,0,[["x"]]]',
        '[0,0,[[1,"t",[["a"]],"",""]]]',
        "null",
        "{}",
        b"\xff\x00",
        7,
        None,
        "[" * 5000,
    ],
)
def test_rows_that_are_none_of_ours_are_passed_over(text: object, cache: ScanCache):
    cache.save({("python", "2"): SCAN})
    with sqlite3.connect(cache.rows.path) as database:
        if text is not None:
            database.execute("INSERT INTO scans VALUES ('python 1', ?)", (text,))
    database.close()
    assert cache.load([("python", "1"), ("python", "2")]) == {("python", "2"): SCAN}


def test_what_another_version_found_is_not_believed(cache: ScanCache, monkeypatch: pytest.MonkeyPatch):
    cache.save({("python", "1"): SCAN})
    monkeypatch.setattr(cache.rows, "_version", 7)
    assert cache.load([("python", "1")]) == {}
    cache.save({("python", "2"): SCAN})
    assert cache.load([("python", "1"), ("python", "2")]) == {("python", "2"): SCAN}


def test_a_file_of_another_layout_is_begun_anew(cache: ScanCache):
    cache.rows.path.parent.mkdir()
    with sqlite3.connect(cache.rows.path) as database:
        database.execute("CREATE TABLE scans (dialect TEXT, blob TEXT, found TEXT)")
        database.execute(f"PRAGMA user_version={version_of(*languages.__path__)}")
    database.close()
    cache.save({("python", "1"): SCAN})
    assert cache.load([("python", "1")]) == {("python", "1"): SCAN}


def test_a_place_that_cannot_be_written_is_no_trouble(tmp_path: Path):
    (tmp_path / "file").write_text("")
    cache = ScanCache(tmp_path / "file" / "scans.sqlite")
    cache.save({("python", "1"): SCAN})
    assert cache.load([("python", "1")]) == {}
    folder = ScanCache(tmp_path)
    folder.save({("python", "1"): SCAN})
    assert folder.load([("python", "1")]) == {}


def test_a_file_that_is_held_by_somebody_else_is_done_without(cache: ScanCache, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(row_cache, "WAIT_S", 0.01)
    cache.save({("python", "1"): SCAN})
    holder = sqlite3.connect(cache.rows.path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    assert cache.load([("python", "1")]) == {}
    cache.save({("python", "2"): SCAN})
    holder.execute("ROLLBACK")
    holder.close()
    assert cache.load([("python", "1"), ("python", "2")]) == {("python", "1"): SCAN}


def test_the_oldest_go_when_there_are_too_many(cache: ScanCache, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(scan_cache, "SCANS", replace(scan_cache.SCANS, most=30))
    keys = [("python", f"{number:03}") for number in range(40)]
    for key in keys:
        cache.save({key: SCAN})
    kept = sorted(cache.load(keys))
    assert 20 <= len(kept) <= 30
    assert kept == keys[-len(kept) :]


def test_more_keys_than_one_question_takes(cache: ScanCache):
    scans = {("python", str(number)): Scan((Import(number, "x"),)) for number in range(2500)}
    cache.save(scans)
    assert cache.load(list(scans)) == scans


def test_many_writers_at_once_lose_nothing_but_time(cache: ScanCache):
    threads = [threading.Thread(target=_write, args=(cache.rows.path, number)) for number in range(3)]
    process = multiprocessing.get_context("spawn").Process(target=_write, args=(cache.rows.path, 3))
    process.start()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    process.join()
    assert process.exitcode == 0
    found = cache.load([("python", f"{writer}-{number}") for writer in range(4) for number in range(8)])
    assert found
    assert set(found.values()) == {SCAN}


def _write(path: Path, writer: int) -> None:
    for number in range(8):
        ScanCache(path).save({("python", f"{writer}-{number}"): SCAN})


def test_the_cache_lies_where_the_user_keeps_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("ASSAY_NO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = default_cache()
    assert found is not None
    assert found.rows.path == tmp_path / "assay" / "imports.sqlite"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    found = default_cache()
    assert found is not None
    assert found.rows.path.is_relative_to(tmp_path / ".cache")


def test_the_cache_can_be_switched_off(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ASSAY_NO_CACHE", "1")
    assert default_cache() is None
