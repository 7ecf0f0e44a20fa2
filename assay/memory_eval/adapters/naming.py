"""Agents by adapter name."""

from __future__ import annotations

from assay.memory_eval.adapters.adapter import AgentAdapter
from assay.memory_eval.adapters.live.library_agents import STORES
from assay.memory_eval.adapters.options import AgentOptions
from assay.memory_eval.adapters.register import ADAPTERS
from assay.memory_eval.adapters.replies import shortly
from assay.memory_eval.errors import ExamUsageError, UnknownAdapter

WITH = {
    "baseline": ":NAME",
    "mcp": ":SERVER",
    "python": ":module:Class",
    "store": ":module:Class",
    "subprocess": ":COMMAND",
}
"""Text after each adapter's name."""


_MODELLED = frozenset({"learning-agent", "python", "store", "subprocess"})
_STORED = frozenset({"learning-agent", "mcp", "python", "store", *STORES})


def takes_a_model(text: str) -> bool:
    """Return whether the adapter that a text names passes the name of a model to its agent."""
    return text.partition(":")[0] in _MODELLED


def keeps_a_store(text: str) -> bool:
    """Return whether the adapter that a text names can be given a place for its store, and learn."""
    return text.partition(":")[0] in _STORED


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
