"""Opening a memory of any format; the content determines the reader."""

from __future__ import annotations

import os
from pathlib import Path

from assay.memory_eval.adapters.snapshots.reading import shown
from assay.memory_eval.adapters.snapshots.register import SNAPSHOTS
from assay.memory_eval.adapters.snapshots.snapshot import Snapshot, SnapshotReader
from assay.memory_eval.adapters.snapshots.sqlite import Sqlite, mapping_from
from assay.memory_eval.errors import WorldUnreadable

FORMATS = ", ".join(reader.name for reader in SNAPSHOTS)
"""Names of the readable formats, for messages."""


def open_snapshot(path: Path, mapping: Path | None = None) -> Snapshot:
    """Read the memory at a file or folder, or an SQLite file by a `mapping`.

    Raises:
        WorldUnreadable: one line that says why there is no memory to read.
    """
    if os.path.islink(path):
        raise WorldUnreadable(f"{shown(path)}: a link, which is not followed; give its target", code="snapshot.link")
    if not os.path.exists(path):
        raise WorldUnreadable(f"{shown(path)}: no such file or folder", code="snapshot.missing")
    reader = _reader(path) if mapping is None else Sqlite(mapping_from(mapping))
    snapshot = reader.read(path)
    if not any(entry.text for entry in snapshot.entries):
        why = f"; {snapshot.unread[0]}" if snapshot.unread else ""
        raise WorldUnreadable(f"{shown(path)}: read as {reader.name}, it has no entries{why}", code="snapshot.empty")
    return snapshot


def _reader(path: Path) -> SnapshotReader:
    reader = next((reader for reader in SNAPSHOTS if reader.detects(path)), None)
    if reader is None:
        raise WorldUnreadable(
            f"{shown(path)}: unknown memory format; supported: {FORMATS}; export another store as JSON lines",
            code="snapshot.unknown-format",
        )
    return reader
