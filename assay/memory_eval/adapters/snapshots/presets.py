"""SQLite files of known memory systems: Chroma, mem0 (Qdrant's local storage) and LangGraph's `SqliteStore`."""

from __future__ import annotations

import io
import pickle  # noqa: TID251 - `find_class` below resolves none
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from assay.escape import visible
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
from assay.memory_eval.adapters.snapshots.reading import Reader, Reading, shown
from assay.memory_eval.adapters.snapshots.snapshot import Entry, entries_of, moment_of, state_until
from assay.memory_eval.adapters.snapshots.sqlite import Database, databases, databases_of, open_database
from assay.memory_eval.errors import WorldUnreadable

_POINT = ("qdrant_client.http.models.models", "PointStruct")
_MOST_NAME = 80

_CHROMA = (
    "SELECT e.id, c.name || '/' || e.embedding_id, e.created_at, m.key, m.string_value, m.int_value"
    " FROM main.embeddings e"
    " JOIN main.segments s ON s.id = e.segment_id JOIN main.collections c ON c.id = s.collection"
    " JOIN main.embedding_metadata m ON m.id = e.id ORDER BY e.id"
)
_LANGGRAPH = "SELECT prefix || '/' || key, value, created_at, updated_at, expires_at FROM main.store"
_HISTORY = "SELECT memory_id, old_memory, created_at, updated_at FROM main.history WHERE old_memory IS NOT NULL"


class Row(NamedTuple):
    """An entry as a system stores it: its id, its text, its other fields, and when it ended."""

    id: str
    text: str
    fields: dict[str, Any]
    ended: Any = None


class Preset(NamedTuple):
    """A system's SQLite files, recognized by their tables and columns; `history` is a table of what was replaced."""

    name: str
    kind: str
    tables: dict[str, frozenset[str]]
    rows: Callable[[Database], Iterator[Row]]
    history: Callable[[Database], Iterator[Row]] | None = None

    def fits(self, database: Database) -> bool:
        """Return whether a database has the tables."""
        return all(set(database.tables.get(table, ())) >= columns for table, columns in self.tables.items())


def _detects(path: Path) -> bool:
    return any(_preset_of(file) for file in databases(path))


def _preset_of(file: Path) -> Preset | None:
    try:
        with open_database(file) as database:
            return next((one for one in PRESETS if one.fits(database)), None)
    except WorldUnreadable:
        return None


def _read(reading: Reading) -> str:
    files = databases_of(reading)
    found = [_preset_of(file) for file in files]
    preset = min(filter(None, found), key=PRESETS.index)
    live: dict[str, set[str]] = {}
    for file, own in zip(files, found, strict=True):
        with open_database(file, reading) as database:
            for entry in _entries(reading, preset, database) if own is preset else ():
                live.setdefault(entry.id, set()).add(entry.text)
                reading.keep([entry])
    for file in files if preset.history is not None else ():
        with open_database(file) as database:
            for row in preset.history(database) if preset.history and "history" in database.tables else ():
                reading.keep(_replaced(row, live.get(row.id, set())))
    return preset.name


READER = Reader(_detects, _read)


def _entries(reading: Reading, preset: Preset, database: Database) -> Iterator[Entry]:
    num_textless = 0
    for row in preset.rows(database):
        found = list(_entry(row, preset.kind))
        num_textless += not found
        yield from found
    if num_textless:
        reading.note(f"{shown(database.path)}: {num_textless} entries have no text")


def _entry(row: Row, kind: str) -> Iterator[Entry]:
    ended = moment_of(row.ended)
    metadata = row.fields.get("metadata")
    known = {**(metadata if isinstance(metadata, dict) else {}), **row.fields}
    return entries_of(
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
    return (replace(entry, state="history") for entry in _entry(row, "memory") if entry.text not in live)


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
        payload, own = point.get("payload"), point.get("id")
        fields = payload if isinstance(payload, dict) else {}
        if not isinstance(own, str | int):
            raise _unknown(database.path, "a point whose id is neither a text nor a number")
        yield Row(str(own), first_text(fields, ("data", *TEXT_FIELDS)), fields)


class _Point:
    """Stand-in for a pickled point, with its attributes."""

    state: dict[str, Any]

    def __setstate__(self, state: Any) -> None:
        inner = state.get("__dict__")  # as pydantic writes its models
        self.state = dict(inner if isinstance(inner, dict) else state)


class _Unpickler(pickle.Unpickler):
    """Reads points as plain data. No class of a pickle is imported, constructed or called."""

    def find_class(self, module: str, name: str) -> type[_Point]:
        if (module, name) != _POINT:
            named = visible(f"{module[:_MOST_NAME]}.{name[:_MOST_NAME]}")
            raise pickle.UnpicklingError(f"a pickle that names {named}, which is never imported")
        return _Point


def _point(path: Path, data: Any) -> dict[str, Any]:
    if not isinstance(data, bytes):
        raise _unknown(path, "a point that is not a pickle")
    try:
        point = _Unpickler(io.BytesIO(data)).load()
        state: dict[str, Any] = point.state
    except Exception as error:  # a damaged pickle raises nearly anything
        why = str(error) if isinstance(error, pickle.UnpicklingError) else type(error).__name__
        raise WorldUnreadable(f"{shown(path)}: refused: {visible(why, 200)}", code="snapshot.refused") from error
    return state


def _replaced_memories(database: Database) -> Iterator[Row]:
    for name, text, created, updated in database.select(_HISTORY):
        yield Row(str(name), str(text), {"created_at": created}, updated or created)


def _unknown(path: Path, why: str) -> WorldUnreadable:
    return WorldUnreadable(f"{shown(path)}: {why}", code="snapshot.unknown-version")


PRESETS = (
    Preset(
        "chroma",
        "document",
        {
            "collections": frozenset({"id", "name"}),
            "segments": frozenset({"id", "collection"}),
            "embeddings": frozenset({"id", "segment_id", "embedding_id", "created_at"}),
            "embedding_metadata": frozenset({"id", "key", "string_value", "int_value"}),
        },
        _chroma,
    ),
    Preset("mem0", "memory", {"points": frozenset({"id", "point"})}, _points, _replaced_memories),
    Preset(
        "langgraph_store",
        "value",
        {"store": frozenset({"prefix", "key", "value", "created_at", "updated_at", "expires_at"})},
        _langgraph,
    ),
)
