"""Opening a memory of any format; the content determines the reader."""

from __future__ import annotations

import os
from pathlib import Path

from assay.memory_eval.adapters.snapshots import json_lines, markdown, mcp_memory, presets, sqlite, text
from assay.memory_eval.adapters.snapshots.reading import Reader, Reading, shown
from assay.memory_eval.adapters.snapshots.snapshot import Snapshot
from assay.memory_eval.errors import WorldUnreadable

READERS: tuple[Reader, ...] = (
    presets.READER,
    sqlite.READER,
    mcp_memory.READER,
    markdown.READER,
    json_lines.READER,
    text.READER,
)
"""The readers in the order they are tried: the more specific format first."""

TITLES = {
    "chroma": "Chroma (chroma.sqlite3)",
    "mem0": "mem0 and Qdrant's local storage (storage.sqlite, history.db)",
    "langgraph_store": "LangGraph SqliteStore",
    "sqlite": "any SQLite database with --mapping",
    "mcp_memory": "MCP server-memory (memory.jsonl)",
    "markdown": "Markdown (CLAUDE.md, AGENTS.md, a folder of .md)",
    "jsonl": "JSON lines, or a JSON list of objects",
    "text": "plain text",
}
"""Every readable format by its name."""


def open_snapshot(path: Path, mapping: Path | None = None) -> Snapshot:
    """Read the memory at a file or folder, or an SQLite file by a `mapping`.

    Raises:
        WorldUnreadable: one line that says why there is no memory to read.
    """
    if os.path.islink(path):
        raise WorldUnreadable(f"{shown(path)}: a link, which is not followed; give its target", code="snapshot.link")
    if not os.path.exists(path):
        raise WorldUnreadable(f"{shown(path)}: no such file or folder", code="snapshot.missing")
    reader = _reader(path) if mapping is None else sqlite.reader_by(mapping)
    reading = Reading(path)
    snapshot = reading.snapshot(reader.read(reading))
    if not any(entry.text for entry in snapshot.entries):
        why = f"; {snapshot.unread[0]}" if snapshot.unread else ""
        raise WorldUnreadable(
            f"{shown(path)}: read as {snapshot.format}, it has no entries{why}", code="snapshot.empty"
        )
    return snapshot


def _reader(path: Path) -> Reader:
    reader = next((reader for reader in READERS if reader.detects(path)), None)
    if reader is None:
        raise WorldUnreadable(
            f"{shown(path)}: unknown memory format; supported: {', '.join(TITLES)}; export another store as JSON lines",
            code="snapshot.unknown-format",
        )
    return reader
