"""Agents by adapter name; the register is `ADAPTERS`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.adapter import AgentAdapter, AgentOptions
from assay.memory_eval.adapters.baseline_agent import named_baseline
from assay.memory_eval.adapters.child.child_agent import SubprocessAgent
from assay.memory_eval.adapters.child.class_agent import LibraryAgent, LibraryStore, PythonAgent, StoreAgent
from assay.memory_eval.adapters.http_agent import HttpAgent
from assay.memory_eval.adapters.live.configuration import keys_in, mcp_config
from assay.memory_eval.adapters.replies import shortly
from assay.memory_eval.adapters.snapshot_agent import loaded_snapshot
from assay.memory_eval.errors import ExamUsageError, UnknownAdapter

Builder = Callable[[str, AgentOptions], AgentAdapter]
"""Makes an agent from the text after the first colon ("" without one) and the options."""


def agent_from(text: str, options: AgentOptions | None = None) -> AgentAdapter:
    """Return the agent a text names: `http`, `subprocess:COMMAND`, `python:module:Class`, ….

    Nothing is started or called yet; the caller closes the agent. Raises `UnknownAdapter`, and `ExamUsageError` if the
    rest of the text is not valid.
    """
    options = options or AgentOptions()
    if not (options.timeout_s > 0 and options.first_timeout_s > 0):
        raise ExamUsageError("a timeout must be longer than 0 s")
    key, _, rest = text.partition(":")
    if key == "https":
        key, rest = "http", text
    if key not in ADAPTERS:
        known = ", ".join(sorted(f"{name}{WITH.get(name, '')}" for name in ADAPTERS))
        raise UnknownAdapter(f"unknown adapter {shortly(key)!r}; supported: {known}")
    return ADAPTERS[key](rest, options)


def takes_a_model(text: str) -> bool:
    """Return whether the adapter that a text names passes the name of a model to its agent."""
    return text.partition(":")[0] in ("learning-agent", "python", "store", "subprocess")


def keeps_a_store(text: str) -> bool:
    """Return whether the adapter that a text names can be given a place for its store, and learn."""
    return text.partition(":")[0] in ("langgraph", "learning-agent", "mcp", "mem0", "python", "store")


def _library(name: str, made_by: str) -> Builder:
    """Return the builder of a library's store; the text names the file that configures it."""

    def build(rest: str, options: AgentOptions) -> AgentAdapter:
        arguments: dict[str, Any] = {"config": keys_in(Path(rest)) if rest else {}}
        if name == "letta":
            if not options.url:
                raise ExamUsageError("adapter `letta` needs the address of a Letta server (--agent-url http://…)")
            arguments["url"] = options.url
        return LibraryStore(f"{name}:{Path(rest).name}" if rest else name, f"libraries:{made_by}", options, **arguments)

    return build


def _mcp(rest: str, options: AgentOptions) -> AgentAdapter:
    """Return the agent of a memory server, by its configuration file or preset."""
    config = mcp_config(rest).model_dump()
    return LibraryStore(f"mcp:{Path(rest).name}", "mcp_store:McpStore", options, config=config)


def _learning_agent(rest: str, options: AgentOptions) -> AgentAdapter:
    """Return amplihack's LearningAgent: by its address, by the library if it has a model, or as the store it left."""
    if rest:
        raise ExamUsageError(f"adapter `learning-agent` takes nothing after its name, not {rest[:40]!r}")
    if options.url:
        return HttpAgent("", options)
    if model := options.arguments.get("model"):
        return LibraryAgent("learning-agent", "learning_agent:LearningAgent", options, model=model)
    if options.load_memory is not None:
        return loaded_snapshot("", options)
    raise ExamUsageError("adapter `learning-agent` needs the agent: add --agent-url, --model or --load-memory")


ADAPTERS: dict[str, Builder] = {
    "baseline": named_baseline,
    "http": HttpAgent,
    "langgraph": _library("langgraph", "LangGraph"),
    "learning-agent": _learning_agent,
    "letta": _library("letta", "Letta"),
    "mcp": _mcp,
    "mem0": _library("mem0", "Mem0"),
    "python": PythonAgent,
    "snapshot": loaded_snapshot,
    "store": StoreAgent,
    "subprocess": SubprocessAgent,
}
"""Adapters by name."""

WITH = {
    "baseline": ":NAME",
    "mcp": ":SERVER",
    "python": ":module:Class",
    "store": ":module:Class",
    "subprocess": ":COMMAND",
}
"""Text after each adapter's name."""
