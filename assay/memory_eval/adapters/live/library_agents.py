"""Builders of the live adapters."""

from __future__ import annotations

from pathlib import Path

from assay.memory_eval.adapters.adapter import AgentAdapter
from assay.memory_eval.adapters.http_agent import HttpAgent
from assay.memory_eval.adapters.live.mcp_config import mcp_config
from assay.memory_eval.adapters.live.store_agent import LibraryAgent, LibraryStore
from assay.memory_eval.adapters.options import AgentOptions, Builder
from assay.memory_eval.adapters.snapshot_agent import loaded_snapshot
from assay.memory_eval.errors import ExamUsageError

STORES = {
    "chroma": "chroma:ChromaStore",
    "langgraph": "langgraph:LangGraphStore",
    "langmem": "langmem:LangMemStore",
    "mem0": "mem0:Mem0Store",
}
"""Adapters of libraries that need nothing but a folder."""


def store_of(name: str) -> Builder:
    """Return the builder of one of `STORES`."""

    def build(rest: str, options: AgentOptions) -> AgentAdapter:
        _takes_nothing(name, rest)
        return LibraryStore(name, STORES[name], options)

    return build


def mcp_agent(rest: str, options: AgentOptions) -> AgentAdapter:
    """Return the agent of a memory server, by its configuration file or preset."""
    config = mcp_config(rest)
    name = f"mcp:{Path(rest).name}"
    return LibraryStore(name, "mcp_store:McpStore", options, config=config.model_dump())


def letta_agent(rest: str, options: AgentOptions) -> AgentAdapter:
    """Return the agent of a Letta server at `options.url`."""
    _takes_nothing("letta", rest)
    if not options.url:
        raise ExamUsageError("adapter `letta` needs the address of a Letta server (--agent-url http://…)")
    return LibraryStore("letta", "letta:LettaStore", options, url=options.url)


def learning_agent(rest: str, options: AgentOptions) -> AgentAdapter:
    """Return amplihack's LearningAgent: by its address, by the library if it has a model, or as the store it left."""
    _takes_nothing("learning-agent", rest)
    if options.url:
        return HttpAgent("", options)
    if model := options.arguments.get("model"):
        return LibraryAgent("learning-agent", "learning_agent:LearningAgent", options, model=model)
    if options.load_memory is not None:
        return loaded_snapshot("", options)
    raise ExamUsageError("adapter `learning-agent` needs the agent: add --agent-url, --model or --load-memory")


def _takes_nothing(name: str, rest: str) -> None:
    if rest:
        raise ExamUsageError(f"adapter `{name}` takes nothing after its name, not {rest[:40]!r}")
