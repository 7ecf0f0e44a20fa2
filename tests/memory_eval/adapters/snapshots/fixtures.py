"""Stores that the systems themselves wrote (`generators/`), packed under tests/cases."""

from __future__ import annotations

import sqlite3
import zipfile
from pathlib import Path

import pytest

from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from assay.memory_eval.errors import WorldUnreadable
from tests.conftest import ROOT

STORES = ROOT / "tests/cases/memory/stores"
DATABASES = {
    "chroma": "chroma.sqlite3",
    "mem0": "qdrant/collection/memories/storage.sqlite",
    "langgraph_store": "store.sqlite",
}


def unpacked(name: str, folder: Path) -> Path:
    """Unpack one store into a folder of its name."""
    target = folder / name
    target.mkdir()
    with zipfile.ZipFile(STORES / f"{name}.zip") as packed:
        packed.extractall(target)
    return target


def changed(tmp_path: Path, name: str, *statements: str) -> Path:
    """Unpack a store of SQLite and run these statements in it."""
    file = unpacked(name, tmp_path) / DATABASES[name]
    with sqlite3.connect(file) as database:
        for statement in statements:
            database.execute(statement)
    database.close()
    return file


def refusal(path: Path) -> WorldUnreadable:
    with pytest.raises(WorldUnreadable) as caught:
        open_snapshot(path)
    assert str(caught.value).isprintable()
    assert caught.value.exit_code == 2
    return caught.value
