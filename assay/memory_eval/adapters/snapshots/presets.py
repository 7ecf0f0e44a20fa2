"""SQLite files of known memory systems: Chroma, mem0 (Qdrant's local storage) and LangGraph's `SqliteStore`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.json_lines import (
    CREATED_FIELDS,
    DAY_FIELDS,
    SPEAKER_FIELDS,
    TEXT_FIELDS,
    about_of,
    first_text,
    first_value,
    flat,
    parsed,
    text_of,
)
from assay.memory_eval.adapters.snapshots.pickle_data import Instance, PickleRefused, decoded_pickle
from assay.memory_eval.adapters.snapshots.reading import Reading, shown
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot, State, moment_of
from assay.memory_eval.adapters.snapshots.sqlite_file import (
    Database,
    databases,
    databases_of,
    open_database,
    tables_of,
)
from assay.memory_eval.adapters.snapshots.stored import state_until, stored
from assay.memory_eval.errors import WorldUnreadable

ALLOWED = frozenset({("qdrant_client.http.models.models", "PointStruct")})

_CHROMA = (
    "SELECT e.id, c.name || '/' || e.embedding_id, e.created_at, m.key, m.string_value, m.int_value"
    " FROM main.embeddings e"
    " JOIN main.segments s ON s.id = e.segment_id JOIN main.collections c ON c.id = s.collection"
    " JOIN main.embedding_metadata m ON m.id = e.id ORDER BY e.id"
)
_LANGGRAPH = "SELECT prefix || '/' || key, value, created_at, updated_at, expires_at FROM main.store"
_HISTORY = "SELECT memory_id, old_memory, created_at, updated_at FROM main.history WHERE old_memory IS NOT NULL"


@dataclass(frozen=True, slots=True)
class Row:
    """An entry as a system stores it: its id, its text, its other fields, and when it ended."""

    id: str
    text: str
    fields: dict[str, Any]
    ended: Any = None


@dataclass(frozen=True, slots=True)
class Preset:
    """Reader of a system's SQLite files, or of a folder with them, recognized by their tables and columns."""

    name: str
    title: str
    tables: dict[str, frozenset[str]]
    rows: Callable[[Database], Iterator[Row]]
    history: Callable[[Database], Iterator[Row]] | None = None
    kind: str = "memory"

    def detects(self, path: Path) -> bool:
        return any(map(self._fits, databases(path)))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        live: dict[str, set[str]] = {}
        for file in list(databases_of(reading)):
            if self._fits(file):
                with open_database(file, reading) as database:
                    for entry in self._entries(reading, database):
                        live.setdefault(entry.id, set()).add(entry.text)
                        reading.keep([entry])
            elif self.history is not None and "history" in tables_of(file):
                with open_database(file, reading) as database:
                    for row in self.history(database):
                        reading.keep(_replaced(row, live.get(row.id, set())))
        return reading.snapshot(self.name)

    def _fits(self, file: Path) -> bool:
        found = tables_of(file)
        return all(set(found.get(table, ())) >= columns for table, columns in self.tables.items())

    def _entries(self, reading: Reading, database: Database) -> Iterator[Entry]:
        num_textless = 0
        for row in self.rows(database):
            found = list(_entry(row, self.kind))
            num_textless += not found
            yield from found
        if num_textless:
            reading.note(f"{shown(database.path)}: {num_textless} entries have no text")


def _entry(row: Row, kind: str) -> Iterator[Entry]:
    ended = moment_of(row.ended)
    metadata = row.fields.get("metadata")
    known = {**(metadata if isinstance(metadata, dict) else {}), **row.fields}
    return stored(
        row.text,
        row.id,
        kind,
        about=about_of(known),
        created=first_value(known, CREATED_FIELDS),
        updated=first_value(known, DAY_FIELDS),
        valid_to=ended,
        state=state_until(ended),
        speaker=first_value(known, SPEAKER_FIELDS),
    )


def _replaced(row: Row, live: set[str]) -> Iterator[Entry]:
    state: State = "history"
    return (replace(entry, state=state) for entry in _entry(row, "memory") if entry.text not in live)


def _chroma(database: Database) -> Iterator[Row]:
    for _, group in groupby(database.select(_CHROMA), key=itemgetter(0)):
        rows = list(group)
        fields = {"created_at": rows[0][2]} | {key: number if text is None else text for *_, key, text, number in rows}
        yield Row(str(rows[0][1]), text_of(fields.get("chroma:document")), fields)


def _langgraph(database: Database) -> Iterator[Row]:
    for name, raw, created, updated, expires in database.select(_LANGGRAPH):
        # The store keeps JSON as bytes in a text column.
        value, _ = parsed(raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw))
        fields = value if isinstance(value, dict) else {"text": value}
        text = first_text(fields) or flat(fields)
        yield Row(str(name), text, {**fields, "created_at": created, "updated_at": updated}, expires)


def _points(database: Database) -> Iterator[Row]:
    for (data,) in database.select("SELECT point FROM main.points"):
        point = _point(database.path, data)
        payload = point.state.get("payload")
        fields = payload if isinstance(payload, dict) else {}
        own = point.state.get("id")
        if not isinstance(own, str | int):
            raise _unknown(database.path, "a point whose id is neither a text nor a number")
        yield Row(str(own), first_text(fields, ("data", *TEXT_FIELDS)), fields)


def _point(path: Path, data: Any) -> Instance:
    if not isinstance(data, bytes):
        raise _unknown(path, "a point that is not a pickle")
    try:
        point = decoded_pickle(data, ALLOWED)
    except PickleRefused as error:
        raise WorldUnreadable(f"{shown(path)}: refused: {error}", code="snapshot.refused") from error
    if not isinstance(point, Instance) or not hasattr(point, "state"):
        raise _unknown(path, "a point without fields")
    return point


def _replaced_memories(database: Database) -> Iterator[Row]:
    for name, text, created, updated in database.select(_HISTORY):
        yield Row(str(name), str(text), {"created_at": created}, updated or created)


def _unknown(path: Path, why: str) -> WorldUnreadable:
    return WorldUnreadable(f"{shown(path)}: {why}", code="snapshot.unknown-version")


PRESETS = (
    Preset(
        "chroma",
        "Chroma (chroma.sqlite3)",
        {
            "collections": frozenset({"id", "name"}),
            "segments": frozenset({"id", "collection"}),
            "embeddings": frozenset({"id", "segment_id", "embedding_id", "created_at"}),
            "embedding_metadata": frozenset({"id", "key", "string_value", "int_value"}),
        },
        _chroma,
        kind="document",
    ),
    Preset(
        "mem0",
        "mem0 and Qdrant's local storage (storage.sqlite, history.db)",
        {"points": frozenset({"id", "point"})},
        _points,
        _replaced_memories,
    ),
    Preset(
        "langgraph_store",
        "LangGraph SqliteStore",
        {"store": frozenset({"prefix", "key", "value", "created_at", "updated_at", "expires_at"})},
        _langgraph,
        kind="value",
    ),
)
