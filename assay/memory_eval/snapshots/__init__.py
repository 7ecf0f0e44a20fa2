"""The stores a memory can be read from, in the order they are tried."""

from __future__ import annotations

from assay.memory_eval.snapshots.jsonl import Jsonl
from assay.memory_eval.snapshots.markdown import Markdown
from assay.memory_eval.snapshots.mcp_memory import McpMemory
from assay.memory_eval.snapshots.snapshot import SnapshotReader
from assay.memory_eval.snapshots.text import Text

SNAPSHOTS: tuple[SnapshotReader, ...] = (McpMemory(), Markdown(), Jsonl(), Text())

__all__ = ["SNAPSHOTS"]
