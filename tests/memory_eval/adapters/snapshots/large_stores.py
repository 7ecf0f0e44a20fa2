"""Large stores in the layout of their systems, as real ones cannot be made in seconds."""

from __future__ import annotations

import json
import pickle
import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

NUM_DIMENSIONS = 384
"""Of a small embedding model that runs locally."""

_WORDS = "the user prefers tea over coffee and lives in Oslo since Ada Lund joined the team of Project Atlas".split()
_POINT = b"\x80\x04\x8c\x20qdrant_client.http.models.models\x8c\x0bPointStruct\x93)\x81"
_CHROMA = """
CREATE TABLE collections (id TEXT PRIMARY KEY, name TEXT);
CREATE TABLE segments (id TEXT PRIMARY KEY, collection TEXT);
CREATE TABLE embeddings (id INTEGER PRIMARY KEY, segment_id TEXT, embedding_id TEXT, created_at TIMESTAMP);
CREATE TABLE embedding_metadata (id INTEGER, key TEXT, string_value TEXT, int_value INTEGER, PRIMARY KEY (id, key));
CREATE TABLE embeddings_queue (
    seq_id INTEGER PRIMARY KEY, created_at TIMESTAMP, operation INTEGER, topic TEXT, id TEXT, vector BLOB, metadata TEXT
);
INSERT INTO collections VALUES ('c', 'memory');
INSERT INTO segments VALUES ('s', 'c');
"""


def _texts(num: int) -> list[str]:
    """Return so many texts of about 120 characters."""
    draws = random.Random(1)
    return [f"Fact {number}: {' '.join(draws.choice(_WORDS) for _ in range(22))}." for number in range(num)]


def server_memory(folder: Path, num: int) -> Path:
    """Write `memory.jsonl`, with five observations of each entity."""
    path, texts = folder / "memory.jsonl", _texts(num)
    entities = (
        {"type": "entity", "name": f"P{at}", "entityType": "person", "observations": texts[at : at + 5]}
        for at in range(0, num, 5)
    )
    path.write_text("".join(json.dumps(entity) + "\n" for entity in entities))
    return path


def chroma(folder: Path, num: int) -> Path:
    """Write `chroma.sqlite3`, with a queue that holds all documents."""
    path, texts, when = folder / "chroma.sqlite3", _texts(num), "2025-01-10 09:00:00"
    with sqlite3.connect(path) as database:
        database.executescript(_CHROMA)
        embeddings = ((at, "s", f"id{at}", when) for at in range(num))
        database.executemany("INSERT INTO embeddings VALUES (?, ?, ?, ?)", embeddings)
        documents = ((at, "chroma:document", text) for at, text in enumerate(texts))
        database.executemany("INSERT INTO embedding_metadata (id, key, string_value) VALUES (?, ?, ?)", documents)
        topic, vector = "persistent://default/default/c", b"\0" * 4 * NUM_DIMENSIONS
        queue = (
            (at, when, 0, topic, f"id{at}", vector, json.dumps({"chroma:document": text}))
            for at, text in enumerate(texts)
        )
        database.executemany("INSERT INTO embeddings_queue VALUES (?, ?, ?, ?, ?, ?, ?)", queue)
    database.close()
    return path


def mem0(folder: Path, num: int) -> Path:
    """Write Qdrant's `storage.sqlite`, with pickled points and their vectors."""
    path, draws = folder / "storage.sqlite", random.Random(2)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)")
        for at, text in enumerate(_texts(num)):
            payload = {"data": text, "created_at": "2025-01-10T09:00:00", "user_id": "ada", "role": "user"}
            vector = [draws.random() for _ in range(NUM_DIMENSIONS)]
            state = {"__dict__": {"id": f"{at:032x}", "vector": vector, "payload": payload}}
            # Without the protocol and the frame, which come first.
            point = _POINT + pickle.dumps(state, 4)[11:-1] + b"b."
            database.execute("INSERT INTO points VALUES (?, ?)", (str(at), point))
    database.close()
    return path


LARGE: dict[str, Callable[[Path, int], Path]] = {"mcp_memory": server_memory, "chroma": chroma, "mem0": mem0}
"""Writers by the format's name: folder and number of entries -> path."""
