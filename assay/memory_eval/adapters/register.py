"""The register of `ADAPTERS`; the order is meaningful."""

from __future__ import annotations

from assay.memory_eval.adapters.baseline_agent import named_baseline
from assay.memory_eval.adapters.child.python_agent import PythonAgent
from assay.memory_eval.adapters.child.subprocess_agent import SubprocessAgent
from assay.memory_eval.adapters.http_agent import HttpAgent
from assay.memory_eval.adapters.options import Builder
from assay.memory_eval.adapters.snapshot_agent import loaded_snapshot

ADAPTERS: dict[str, Builder] = {
    "baseline": named_baseline,
    "http": HttpAgent,
    "python": PythonAgent,
    "snapshot": loaded_snapshot,
    "subprocess": SubprocessAgent,
}
"""Adapters in alphabetical order."""
