"""The register of `SNAPSHOTS`; the order is meaningful."""

from __future__ import annotations

from assay.memory_eval.snapshots.jsonl import Jsonl
from assay.memory_eval.snapshots.markdown import Markdown
from assay.memory_eval.snapshots.mcp_memory import McpMemory
from assay.memory_eval.snapshots.snapshot import SnapshotReader
from assay.memory_eval.snapshots.text import Text

SNAPSHOTS: tuple[SnapshotReader, ...] = (McpMemory(), Markdown(), Jsonl(), Text())
