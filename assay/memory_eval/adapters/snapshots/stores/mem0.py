"""mem0: Qdrant's local `storage.sqlite` with pickled points, and `history.db` with replaced and deleted texts.

Other programs' local Qdrant collections are read too, if their points have a text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.dates import moment_of
from assay.memory_eval.adapters.snapshots.decoding.pickle_data import Instance, PickleRefused, decoded_pickle
from assay.memory_eval.adapters.snapshots.decoding.sqlite_file import (
    Database,
    databases,
    databases_of,
    open_database,
    tables_of,
)
from assay.memory_eval.adapters.snapshots.object_text import (
    ABOUT_FIELDS,
    DAY_FIELDS,
    TEXT_FIELDS,
    first_text,
    first_value,
)
from assay.memory_eval.adapters.snapshots.reading import Reading, shown
from assay.memory_eval.adapters.snapshots.snapshot import Snapshot
from assay.memory_eval.adapters.snapshots.stored import stored
from assay.memory_eval.errors import WorldUnreadable

ALLOWED = frozenset({("qdrant_client.http.models.models", "PointStruct")})

_POINTS = {"id", "point"}
_HISTORY = ["memory_id", "old_memory", "new_memory", "event"]
_TEXT = ("data", *TEXT_FIELDS)
_Row = dict[str, Any]


class Mem0:
    """Reader of a mem0 folder, of Qdrant's local folder, or of one of their SQLite files."""

    name = "mem0"
    title = "mem0 and Qdrant's local storage (storage.sqlite, history.db)"

    def detects(self, path: Path) -> bool:
        return any(_holds_points(file) or _holds_history(file) for file in databases(path))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        files = list(databases_of(reading))
        points = [file for file in files if _holds_points(file)]
        live: dict[str, str] = {}
        for file in points:
            with open_database(file, reading) as database:
                _read_points(reading, database, live)
        for file in files:
            if _holds_history(file):
                with open_database(file, reading) as database:
                    _read_history(reading, database, live if points else None)
        return reading.snapshot(self.name)


def _holds_points(file: Path) -> bool:
    return set(tables_of(file).get("points", ())) == _POINTS


def _holds_history(file: Path) -> bool:
    return set(tables_of(file).get("history", ())) >= {"memory_id", "event"}


def _read_points(reading: Reading, database: Database, live: dict[str, str]) -> None:
    num_textless = 0
    for row in database.rows("points", ["point"]):
        point = _point(database.path, row["point"])
        payload = point.state.get("payload")
        payload = payload if isinstance(payload, dict) else {}
        text = first_text(payload, _TEXT)
        own = point.state.get("id")
        if not isinstance(own, str | int):
            raise WorldUnreadable(
                f"{shown(database.path)}: a point whose id is neither a text nor a number",
                code="snapshot.unknown-version",
            )
        entry_id = str(own)
        if not text:
            num_textless += 1
            continue
        live[entry_id] = text
        metadata = payload.get("metadata")
        known = {**(metadata if isinstance(metadata, dict) else {}), **payload}
        reading.keep(
            stored(
                text,
                entry_id,
                "memory",
                about=_first(known, ABOUT_FIELDS),
                created=_first(known, ("created_at", "createdAt", "timestamp", "date")),
                updated=_first(known, DAY_FIELDS),
                speaker=_first(known, ("role", "actor_id", "speaker")),
            )
        )
    if num_textless:
        reading.note(f"{shown(database.path)}: {num_textless} points have no text")


def _point(path: Path, data: Any) -> Instance:
    if not isinstance(data, bytes):
        raise WorldUnreadable(f"{shown(path)}: a point that is not a pickle", code="snapshot.unknown-version")
    try:
        point = decoded_pickle(data, ALLOWED)
    except PickleRefused as error:
        raise WorldUnreadable(f"{shown(path)}: refused: {error}", code="snapshot.refused") from error
    if not isinstance(point, Instance) or not hasattr(point, "state"):
        raise WorldUnreadable(f"{shown(path)}: a point without fields", code="snapshot.unknown-version")
    return point


def _read_history(reading: Reading, database: Database, live: Mapping[str, str] | None) -> None:
    """Read the record of changes; without the vector store, its newest state is the live one."""
    by_memory: dict[str, list[_Row]] = defaultdict(list)
    for row in database.rows("history", _HISTORY, ["created_at", "updated_at", "is_deleted", "role", "actor_id"]):
        by_memory[str(row["memory_id"])].append(row)
    if live is None:
        reading.note(
            f"{shown(database.path)}: the vector store is not here; live entries are the newest of the history"
        )
    for memory_id, rows in by_memory.items():
        # The order of rows is that of their events; SQLite keeps it for a table with a text key.
        rows.sort(key=lambda row: str(row["updated_at"] or row["created_at"] or ""))
        current = _current(rows) if live is None else live.get(memory_id)
        _read_memory(reading, memory_id, rows, current, is_live=live is None)
    if "messages" in database.tables:
        _read_messages(reading, database, set((live or {}).values()))


def _current(rows: Sequence[_Row]) -> str | None:
    last = rows[-1]
    is_deleted = last["is_deleted"] or last["event"] == "DELETE"
    return last["new_memory"] if isinstance(last["new_memory"], str) and not is_deleted else None


def _read_memory(reading: Reading, memory_id: str, rows: Sequence[_Row], current: str | None, *, is_live: bool) -> None:
    seen: set[str] = set()
    times = [row["updated_at"] or row["created_at"] for row in rows]
    for place, row in enumerate(rows):
        for text, ended in (
            (row["old_memory"], times[place]),
            (row["new_memory"], times[place + 1] if place + 1 < len(rows) else None),
        ):
            if not isinstance(text, str) or not text.strip() or text in seen:
                continue
            seen.add(text)
            if text != current:
                fields = {"created": row["created_at"], "valid_to": ended, "state": "history"}
            elif is_live:
                fields = {"created": rows[0]["created_at"], "updated": times[place]}
            else:
                continue
            speaker = row["role"] or row["actor_id"]
            reading.keep(stored(text, memory_id, "memory", speaker=speaker, **fields))


def _read_messages(reading: Reading, database: Database, live: set[str]) -> None:
    """Read the last messages that mem0 keeps as context; a deleted memory may survive in them."""
    for row in database.rows("messages", ["id", "role", "content"], ["created_at"]):
        if isinstance(row["content"], str) and row["content"].strip() not in live:
            reading.keep(
                stored(
                    row["content"],
                    f"message {row['id']}",
                    "message",
                    created=row["created_at"],
                    state="residue",
                    speaker=row["role"],
                )
            )


def _first(values: Mapping[Any, Any], names: Sequence[str]) -> Any:
    found = first_value(values, names)
    return found if isinstance(found, str) or moment_of(found) else None
