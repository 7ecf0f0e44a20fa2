"""The register of `SNAPSHOTS`; the order is meaningful: the more specific format first."""

from __future__ import annotations

from assay.memory_eval.adapters.snapshots.json_lines import Jsonl
from assay.memory_eval.adapters.snapshots.markdown import Markdown
from assay.memory_eval.adapters.snapshots.mcp_memory import McpMemory
from assay.memory_eval.adapters.snapshots.presets import PRESETS
from assay.memory_eval.adapters.snapshots.snapshot import SnapshotReader
from assay.memory_eval.adapters.snapshots.sqlite import Sqlite
from assay.memory_eval.adapters.snapshots.text import Text

SNAPSHOTS: tuple[SnapshotReader, ...] = (*PRESETS, Sqlite(), McpMemory(), Markdown(), Jsonl(), Text())
