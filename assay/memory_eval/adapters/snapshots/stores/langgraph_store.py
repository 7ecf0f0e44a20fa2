"""LangGraph's long-term memory in SQLite (`SqliteStore`), which langmem uses too: JSON values under a namespace."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.dates import moment_of
from assay.memory_eval.adapters.snapshots.decoding.leftovers import json_leftovers
from assay.memory_eval.adapters.snapshots.decoding.sqlite_file import databases, open_database, tables_of
from assay.memory_eval.adapters.snapshots.json_lines import parsed
from assay.memory_eval.adapters.snapshots.object_text import ABOUT_FIELDS, TEXT_FIELDS, flat, text_of
from assay.memory_eval.adapters.snapshots.reading import Reading, walk
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot, State
from assay.memory_eval.adapters.snapshots.stored import stored

_COLUMNS = ["prefix", "key", "value"]


class LanggraphStore:
    """Reader of the SQLite file of a `SqliteStore`, or of a folder with one."""

    name = "langgraph_store"
    title = "LangGraph SqliteStore"

    def detects(self, path: Path) -> bool:
        return any(map(_is_store, databases(path, walk)))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        versions = []
        for file in filter(_is_store, databases(path, walk)):
            with open_database(file) as database:
                reading.count_database(database)
                if "store_migrations" in database.tables:
                    versions += [row["v"] for row in database.rows("store_migrations", ["v"])]
                optional = ["created_at", "updated_at", "expires_at"]
                for number, row in enumerate(database.rows("store", _COLUMNS, optional), start=1):
                    value, why = _value(row["value"])
                    found = list(_entries(row, value)) if not why else []
                    reading.keep(found)
                    if not found:
                        reading.leave(file, number, why or "a value with no text in it")
            _read_leftovers(reading, file)
        newest = max((version for version in versions if isinstance(version, int)), default=None)
        return reading.snapshot(self.name, None if newest is None else f"schema {newest}")


def _is_store(file: Path) -> bool:
    tables = tables_of(file)
    return "prefix" in tables.get("store", ()) or {"store", "store_migrations"} <= tables.keys()


def _value(raw: Any) -> tuple[Any, str]:
    """Return the JSON of a value, which the store keeps as bytes in a text column."""
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    return parsed(text) if isinstance(text, str) else (None, "a value that is not JSON")


def _entries(row: dict[str, Any], value: Any) -> Iterator[Entry]:
    fields = value if isinstance(value, dict) else {"text": value}
    ended = moment_of(row["expires_at"])
    state: State = "history" if ended and ended < datetime.now(UTC) else "live"
    yield from stored(
        _text(fields),
        f"{row['prefix']}/{row['key']}",
        "value",
        about=next((fields[name] for name in ABOUT_FIELDS if isinstance(fields.get(name), str)), None),
        created=row["created_at"],
        updated=row["updated_at"],
        valid_to=ended.isoformat() if ended else None,
        state=state,
    )


def _text(fields: dict[str, Any]) -> str:
    return next((text for name in TEXT_FIELDS if (text := text_of(fields.get(name)))), "") or flat(fields)


def _read_leftovers(reading: Reading, file: Path) -> None:
    known = reading.texts()
    for value in json_leftovers(file):
        text = _text(value)
        if text and text not in known:
            known.add(text)
            reading.keep(stored(text, f"{file.name} (freed space)", "value", state="residue"))
