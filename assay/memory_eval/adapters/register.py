"""The register of `ADAPTERS`; live stores are in `STORES`."""

from __future__ import annotations

from assay.memory_eval.adapters.baseline_agent import named_baseline
from assay.memory_eval.adapters.child.python_agent import PythonAgent
from assay.memory_eval.adapters.child.subprocess_agent import SubprocessAgent
from assay.memory_eval.adapters.http_agent import HttpAgent
from assay.memory_eval.adapters.live.library_agents import STORES, learning_agent, letta_agent, mcp_agent, store_of
from assay.memory_eval.adapters.live.store_agent import StoreAgent
from assay.memory_eval.adapters.options import Builder
from assay.memory_eval.adapters.snapshot_agent import loaded_snapshot

ADAPTERS: dict[str, Builder] = {
    "baseline": named_baseline,
    **{name: store_of(name) for name in STORES},
    "http": HttpAgent,
    "learning-agent": learning_agent,
    "letta": letta_agent,
    "mcp": mcp_agent,
    "python": PythonAgent,
    "snapshot": loaded_snapshot,
    "store": StoreAgent,
    "subprocess": SubprocessAgent,
}
"""Adapters by name."""
