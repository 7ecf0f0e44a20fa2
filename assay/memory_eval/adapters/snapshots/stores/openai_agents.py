"""Sessions of the OpenAI Agents SDK in SQLite: one JSON item of the conversation a row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.decoding.sqlite_file import databases, databases_of, open_database, tables_of
from assay.memory_eval.adapters.snapshots.json_lines import parsed
from assay.memory_eval.adapters.snapshots.object_text import first_text
from assay.memory_eval.adapters.snapshots.reading import Reading, shown
from assay.memory_eval.adapters.snapshots.snapshot import Snapshot
from assay.memory_eval.adapters.snapshots.stored import stored
from assay.memory_eval.errors import WorldUnreadable

_TABLES = {"agent_sessions", "agent_messages"}
_TEXTS = ("content", "output", "summary")


class OpenaiAgents:
    """Reader of the file of an `SQLiteSession`, or of a folder with one."""

    name = "openai_agents"
    title = "OpenAI Agents SDK sessions"

    def detects(self, path: Path) -> bool:
        return any(map(_is_sessions, databases(path)))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        num_textless = 0
        for file in filter(_is_sessions, databases_of(reading)):
            with open_database(file, reading) as database:
                for row in database.rows("agent_messages", ["id", "session_id", "message_data"], ["created_at"]):
                    num_textless += _read(reading, file, row)
        if num_textless:
            reading.note(f"{num_textless} items have no text, such as tool calls")
        return reading.snapshot(self.name)


def _is_sessions(file: Path) -> bool:
    return tables_of(file).keys() >= _TABLES


def _read(reading: Reading, file: Path, row: dict[str, Any]) -> bool:
    """Keep one item; return whether it has no text."""
    raw = row["message_data"]
    item, why = parsed(raw) if isinstance(raw, str) else (None, "an item that is not a text")
    number = row["id"] if isinstance(row["id"], int) else 0
    if not isinstance(item, dict):
        reading.leave(file, number, why or "a JSON value, but no object")
        return False
    if "__enc__" in item:
        raise WorldUnreadable(f"{shown(file)}: an encrypted session, whose key is not here", code="snapshot.refused")
    text = first_text(item, _TEXTS)
    kind = item["type"] if isinstance(item.get("type"), str) else "message"
    reading.keep(
        stored(
            text,
            f"{row['session_id']}/{number}",
            kind,
            created=row["created_at"],
            speaker=item.get("role") or ("tool" if kind.endswith("_output") else None),
        )
    )
    return not text
