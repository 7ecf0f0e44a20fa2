"""LangGraph's long-term memory in SQLite (`SqliteStore`), which langmem uses too: JSON values under a namespace."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.dates import moment_of
from assay.memory_eval.adapters.snapshots.decoding.sqlite_file import databases, databases_of, open_database, tables_of
from assay.memory_eval.adapters.snapshots.json_lines import parsed
from assay.memory_eval.adapters.snapshots.object_text import about_of, first_text, flat
from assay.memory_eval.adapters.snapshots.reading import Reading
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.adapters.snapshots.stored import state_until, stored

_COLUMNS = ["prefix", "key", "value"]


class LanggraphStore:
    """Reader of the SQLite file of a `SqliteStore`, or of a folder with one."""

    name = "langgraph_store"
    title = "LangGraph SqliteStore"

    def detects(self, path: Path) -> bool:
        return any(map(_is_store, databases(path)))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        versions = []
        for file in filter(_is_store, databases_of(reading)):
            with open_database(file, reading) as database:
                if "store_migrations" in database.tables:
                    versions += [row["v"] for row in database.rows("store_migrations", ["v"])]
                optional = ["created_at", "updated_at", "expires_at"]
                for number, row in enumerate(database.rows("store", _COLUMNS, optional), start=1):
                    value, why = _value(row["value"])
                    found = list(_entries(row, value)) if not why else []
                    reading.keep(found)
                    if not found:
                        reading.leave(file, number, why or "a value with no text in it")
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
    yield from stored(
        _text(fields),
        f"{row['prefix']}/{row['key']}",
        "value",
        about=about_of(fields),
        created=row["created_at"],
        updated=row["updated_at"],
        valid_to=ended,
        state=state_until(ended),
    )


def _text(fields: dict[str, Any]) -> str:
    return first_text(fields) or flat(fields)
