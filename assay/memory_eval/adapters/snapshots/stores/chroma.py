"""Chroma: `chroma.sqlite3`, whose queue also keeps replaced and deleted documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.decoding.sqlite_file import (
    Database,
    databases,
    databases_of,
    open_database,
    tables_of,
)
from assay.memory_eval.adapters.snapshots.json_lines import parsed
from assay.memory_eval.adapters.snapshots.object_text import ABOUT_FIELDS, DAY_FIELDS, first_value
from assay.memory_eval.adapters.snapshots.reading import Reading, shown
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.adapters.snapshots.stored import stored

DOCUMENT = "chroma:document"

_TABLES = {"collections", "segments", "embeddings", "embedding_metadata"}
_MOST_SCHEMA = 100
_TRIED = {"embeddings_queue": 2, "metadb": 6, "sysdb": 10}
"""Newest migrations read: chromadb 1.5.9."""
_SPEAKERS = ("role", "speaker", "author")


class Chroma:
    """Reader of `chroma.sqlite3`, or of a folder with one."""

    name = "chroma"
    title = "Chroma (chroma.sqlite3)"

    def detects(self, path: Path) -> bool:
        return any(tables_of(file).keys() >= _TABLES for file in databases(path))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        versions = []
        for file in databases_of(reading):
            if tables_of(file).keys() >= _TABLES:
                with open_database(file, reading) as database:
                    _read(reading, database)
                    versions.append(_version(reading, database))
        return reading.snapshot(self.name, max(filter(None, versions), default=None))


def _version(reading: Reading, database: Database) -> str | None:
    """Return the schema's version: the number of migrations of each part."""
    if "migrations" not in database.tables:
        return None
    newest: dict[str, int] = {}
    for row in database.rows("migrations", ["dir", "version"]):
        if isinstance(row["version"], int) and isinstance(row["dir"], str) and len(newest) < _MOST_SCHEMA:
            newest[row["dir"]] = max(row["version"], newest.get(row["dir"], 0))
    if any(version > _TRIED.get(name, version) for name, version in newest.items()):
        reading.note(f"{shown(database.path)}: its schema is newer than those tried")
    return "schema " + ", ".join(f"{name} {version}" for name, version in sorted(newest.items())) if newest else None


def _read(reading: Reading, database: Database) -> None:
    names = {row["id"]: str(row["name"]) for row in database.rows("collections", ["id", "name"])}
    collections = {row["id"]: row["collection"] for row in database.rows("segments", ["id", "collection"])}
    documents, metadata = _metadata(database)
    queue = _queue(reading, database)
    live: dict[tuple[Any, Any], str] = {}
    num_textless = 0
    for row in database.rows("embeddings", ["id", "segment_id", "embedding_id"], ["created_at"]):
        collection = collections.get(row["segment_id"])
        text = documents.get(row["id"], "")
        own = metadata.get(row["id"], {})
        key = (collection, row["embedding_id"])
        live[key] = text
        num_textless += not text.strip()
        changes = [when for operation, when, _ in queue.get(key, ())[1:] if operation != _DELETE]
        reading.keep(
            stored(
                text,
                f"{names.get(collection, '?')}/{row['embedding_id']}",
                "document",
                about=first_value(own, ABOUT_FIELDS),
                created=row["created_at"],
                updated=first_value(own, DAY_FIELDS) or (changes[-1] if changes else None),
                speaker=first_value(own, _SPEAKERS),
            )
        )
    if num_textless:
        reading.note(f"{num_textless} embeddings have no document")
    reading.keep(_residue(queue, live, names))


_DELETE = 3
_Queue = dict[tuple[Any, Any], list[tuple[int, Any, str]]]
"""By collection and id: (operation, time, document), oldest first."""


def _metadata(database: Database) -> tuple[dict[Any, str], dict[Any, dict[str, Any]]]:
    documents: dict[Any, str] = {}
    others: dict[Any, dict[str, Any]] = defaultdict(dict)
    wanted = {*ABOUT_FIELDS, *DAY_FIELDS, *_SPEAKERS}
    values = ["string_value", "int_value", "float_value"]
    for row in database.rows("embedding_metadata", ["id", "key", "string_value"], values[1:]):
        if row["key"] == DOCUMENT and isinstance(row["string_value"], str):
            documents[row["id"]] = row["string_value"]
        elif row["key"] in wanted:
            others[row["id"]][row["key"]] = next((row[name] for name in values if row[name] is not None), None)
    return documents, others


def _queue(reading: Reading, database: Database) -> _Queue:
    found: _Queue = defaultdict(list)
    if "embeddings_queue" not in database.tables:
        return found
    columns = ["operation", "topic", "id"]
    for row in database.rows("embeddings_queue", columns, ["created_at", "metadata", "seq_id"]):
        metadata, why = parsed(row["metadata"]) if isinstance(row["metadata"], str) else ({}, "")
        if why:
            reading.leave(database.path, 1, f"an entry of the queue: {why}")
        document = metadata.get(DOCUMENT) if isinstance(metadata, dict) else None
        topic = row["topic"].rpartition("/")[2] if isinstance(row["topic"], str) else None
        operation = row["operation"] if isinstance(row["operation"], int) else 0
        text = document if isinstance(document, str) else ""
        found[topic, row["id"]].append((operation, row["created_at"], text))
    return found


def _residue(queue: _Queue, live: Mapping[tuple[Any, Any], str], names: Mapping[Any, str]) -> Iterator[Entry]:
    """Yield the documents of the queue that no longer are an id's document."""
    for key, steps in queue.items():
        known = {live.get(key)}
        for place, (_, when, text) in enumerate(steps):
            if text and text not in known:
                known.add(text)
                ended = next(
                    (later for operation, later, other in steps[place + 1 :] if other or operation == _DELETE), None
                )
                entry_id = f"{names.get(key[0], '?')}/{key[1]}"
                yield from stored(text, entry_id, "queue", created=when, valid_to=ended, state="residue")
