"""The register of `SNAPSHOTS`; the order is meaningful."""

from __future__ import annotations

from assay.memory_eval.adapters.snapshots.jsonl import Jsonl
from assay.memory_eval.adapters.snapshots.markdown import Markdown
from assay.memory_eval.adapters.snapshots.mcp_memory import McpMemory
from assay.memory_eval.adapters.snapshots.snapshot import SnapshotReader
from assay.memory_eval.adapters.snapshots.text import Text

SNAPSHOTS: tuple[SnapshotReader, ...] = (McpMemory(), Markdown(), Jsonl(), Text())
