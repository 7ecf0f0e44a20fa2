"""A Chroma collection: texts added, two updated, two deleted."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import chromadb
from chromadb.config import Settings

from tests.memory_eval.adapters.snapshots.generators.facts import ADDED, CHANGED, DELETED, vector


def main(folder: Path) -> None:
    """Fill a database in `folder`; only chroma.sqlite3 is kept, without the vector index."""
    client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
    collection = client.create_collection("memories", embedding_function=None)
    ids = {text: f"fact-{number}" for number, text in enumerate(ADDED)}
    collection.add(
        ids=list(ids.values()),
        documents=list(ids),
        embeddings=[vector(text) for text in ids],
        metadatas=[{"user_id": "ada", "number": number} for number in range(len(ids))],
    )
    for old, new in CHANGED:
        collection.update(ids=[ids[old]], documents=[new], embeddings=[vector(new)])
    collection.delete(ids=[ids[text] for text in DELETED])
    client.create_collection("empty", embedding_function=None)
    client.close()
    with sqlite3.connect(folder / "chroma.sqlite3") as database:
        database.execute("VACUUM")
    database.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
