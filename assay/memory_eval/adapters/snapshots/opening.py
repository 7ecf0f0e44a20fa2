"""Opening a memory of any format; the content determines the reader."""

from __future__ import annotations

import os
from pathlib import Path

from assay.memory_eval.adapters.snapshots.reading import shown
from assay.memory_eval.adapters.snapshots.register import SNAPSHOTS
from assay.memory_eval.adapters.snapshots.snapshot import Snapshot
from assay.memory_eval.adapters.snapshots.unsupported import store_at
from assay.memory_eval.errors import WorldUnreadable

FORMATS = ", ".join(reader.title for reader in SNAPSHOTS)
"""Readable formats, for messages."""


def open_snapshot(path: Path) -> Snapshot:
    """Read the memory at a file or folder; raise WorldUnreadable with one line if there is none."""
    if os.path.islink(path):
        raise WorldUnreadable(f"{shown(path)}: a link, which is not followed; give its target", code="snapshot.link")
    if not os.path.exists(path):
        raise WorldUnreadable(f"{shown(path)}: no such file or folder", code="snapshot.missing")
    if store := store_at(path):
        raise WorldUnreadable(f"{shown(path)}: {store} is not supported; supported: {FORMATS}")
    reader = next((reader for reader in SNAPSHOTS if reader.detects(path)), None)
    if reader is None:
        raise WorldUnreadable(
            f"{shown(path)}: unknown memory format; supported: {FORMATS}", code="snapshot.unknown-format"
        )
    snapshot = reader.read(path)
    if not any(entry.text for entry in snapshot.entries):
        why = f"; {snapshot.unread[0]}" if snapshot.unread else ""
        raise WorldUnreadable(f"{shown(path)}: read as {reader.name}, it has no entries{why}", code="snapshot.empty")
    return snapshot
