"""LangGraph's store with a vector index over own vectors, which `langgraph` and `langmem` share.

A SqliteStore, whose index needs an SQLite that loads extensions; where Python's does not, an InMemoryStore.
"""

from __future__ import annotations

import contextlib
import sqlite3
from importlib import metadata
from typing import Any

from assay.memory_eval.adapters.live.embedder import EMBEDDER, SIZE, embedded
from assay.memory_eval.adapters.live.store import Store, library

PLACE = ("memories", "assay")


PACKAGE = "langgraph-checkpoint-sqlite"


class GraphStore(Store):
    """Items under one namespace, indexed by one field."""

    package = PACKAGE
    embedder = EMBEDDER
    field = "text"
    persistent = hasattr(sqlite3.Connection, "enable_load_extension")

    def open(self) -> None:
        index = {"dims": SIZE, "embed": _vectors, "fields": [self.field]}
        self._open = contextlib.ExitStack()
        sqlite = library("langgraph.store.sqlite", f"{PACKAGE} sqlite-vec numpy")
        if self.persistent:
            path = str(self.folder / "store.sqlite")
            self.store: Any = self._open.enter_context(sqlite.SqliteStore.from_conn_string(path, index=index))
            self.store.setup()
        else:
            self.store = library("langgraph.store.memory", "langgraph-checkpoint").InMemoryStore(index=index)

    def num_entries(self) -> int:
        return len(self.store.search(PLACE, limit=1_000_000))

    def shut(self) -> None:
        self._open.close()

    def system(self) -> str:
        used = PACKAGE if self.persistent else "langgraph-checkpoint"
        return f"{used} {metadata.version(used)}, {type(self.store).__name__}"


def _vectors(texts: list[str]) -> list[list[float]]:
    return [embedded(text) for text in texts]
