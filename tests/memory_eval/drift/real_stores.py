"""Stores of the real systems, changed step by step: `python -m … real_stores SYSTEM FOLDER < steps.json`.

A step is `[what, name, text]`; `lose` removes an entry without a record, `undelete` brings one back with its id,
`snapshot` copies the store to the folder `text`.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import sys
from pathlib import Path
from typing import Any, Protocol

from tests.memory_eval.adapters.snapshots.generators.facts import vector

SIZE = 8


class Store(Protocol):
    """A system under its own library."""

    def add(self, name: str, text: str) -> None: ...

    def replace(self, name: str, text: str) -> None: ...

    def delete(self, name: str) -> None: ...

    def lose(self, name: str) -> None: ...

    def undelete(self, name: str, text: str) -> None: ...


class Mem0:
    """mem0 on local Qdrant, without a model."""

    def __init__(self, folder: Path) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": f"{folder}.home", "OPENAI_API_KEY": "unused"}
        from mem0 import Memory

        where = {"collection_name": "memories", "path": f"{folder}/qdrant", "embedding_model_dims": SIZE}
        store = {"provider": "qdrant", "config": {**where, "on_disk": True}}
        self.memory = Memory.from_config({"vector_store": store, "history_db_path": f"{folder}/history.db"})
        self.memory.embedding_model = self
        self.ids: dict[str, str] = {}

    def embed(self, text: str, memory_action: Any = None) -> list[float]:
        return vector(text, SIZE)

    def embed_batch(self, texts: list[str], memory_action: Any = None) -> list[list[float]]:
        return [vector(text, SIZE) for text in texts]

    def add(self, name: str, text: str) -> None:
        message = [{"role": "user", "content": text}]
        self.ids[name] = self.memory.add(message, user_id="ada", infer=False)["results"][0]["id"]

    def replace(self, name: str, text: str) -> None:
        self.memory.update(self.ids[name], text)

    def delete(self, name: str) -> None:
        self.memory.delete(self.ids[name])

    def lose(self, name: str) -> None:
        self.memory.vector_store.delete(self.ids[name])

    def undelete(self, name: str, text: str) -> None:
        payload = {"data": text, "user_id": "ada", "role": "user"}
        self.memory.vector_store.insert([vector(text, SIZE)], [payload], [self.ids[name]])


class Chroma:
    """A collection of Chroma."""

    def __init__(self, folder: Path) -> None:
        import chromadb
        from chromadb.config import Settings

        client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
        self.collection = client.create_collection("memories", embedding_function=None)
        self.file = folder / "chroma.sqlite3"

    def add(self, name: str, text: str) -> None:
        self.collection.add(ids=[name], documents=[text], embeddings=[vector(text)])

    undelete = add

    def replace(self, name: str, text: str) -> None:
        self.collection.update(ids=[name], documents=[text], embeddings=[vector(text)])

    def delete(self, name: str) -> None:
        self.collection.delete(ids=[name])

    def lose(self, name: str) -> None:
        with sqlite3.connect(self.file, timeout=30) as database:
            (row,) = database.execute("SELECT id FROM embeddings WHERE embedding_id = ?", (name,)).fetchone()
            database.execute("DELETE FROM embedding_metadata WHERE id = ?", (row,))
            database.execute("DELETE FROM embeddings WHERE id = ?", (row,))
        database.close()


SYSTEMS: dict[str, type[Mem0 | Chroma]] = {"mem0": Mem0, "chroma": Chroma}


def main(system: str, folder: Path, steps: list[tuple[str, str, str]]) -> None:
    folder.mkdir()
    store: Store = SYSTEMS[system](folder)
    for what, name, text in steps:
        if what == "snapshot":
            shutil.copytree(folder, text, ignore=shutil.ignore_patterns("*.bin", "*.lock", "*-shm"))
        elif what in ("add", "replace", "undelete"):
            getattr(store, what)(name, text)
        else:
            getattr(store, what)(name)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), json.load(sys.stdin))
