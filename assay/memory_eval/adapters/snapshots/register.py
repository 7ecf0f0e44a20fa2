"""The register of `SNAPSHOTS`; the order is meaningful: the more specific format first."""

from __future__ import annotations

from assay.memory_eval.adapters.snapshots.jsonl import Jsonl
from assay.memory_eval.adapters.snapshots.markdown import Markdown
from assay.memory_eval.adapters.snapshots.mcp_memory import McpMemory
from assay.memory_eval.adapters.snapshots.snapshot import SnapshotReader
from assay.memory_eval.adapters.snapshots.stores.autogen import Autogen
from assay.memory_eval.adapters.snapshots.stores.chroma import Chroma
from assay.memory_eval.adapters.snapshots.stores.graphiti import Graphiti
from assay.memory_eval.adapters.snapshots.stores.kuzu import Kuzu
from assay.memory_eval.adapters.snapshots.stores.langgraph_checkpoints import LanggraphCheckpoints
from assay.memory_eval.adapters.snapshots.stores.langgraph_store import LanggraphStore
from assay.memory_eval.adapters.snapshots.stores.letta import Letta
from assay.memory_eval.adapters.snapshots.stores.llama_index import LlamaIndex
from assay.memory_eval.adapters.snapshots.stores.mem0 import Mem0
from assay.memory_eval.adapters.snapshots.stores.openai_agents import OpenaiAgents
from assay.memory_eval.adapters.snapshots.stores.pg_dump import PgDump
from assay.memory_eval.adapters.snapshots.stores.redis_json import RedisJson
from assay.memory_eval.adapters.snapshots.stores.sqlite import Sqlite
from assay.memory_eval.adapters.snapshots.text import Text

SNAPSHOTS: tuple[SnapshotReader, ...] = (
    Chroma(),
    Mem0(),
    LanggraphStore(),
    LanggraphCheckpoints(),
    OpenaiAgents(),
    LlamaIndex(),
    Letta(),
    Autogen(),
    Graphiti(),
    Kuzu(),
    PgDump(),
    RedisJson(),
    Sqlite(),
    McpMemory(),
    Markdown(),
    Jsonl(),
    Text(),
)
