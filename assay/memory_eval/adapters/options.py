"""Options of the adapters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.adapter import AgentAdapter

CALL_TIMEOUT_S = 60.0
"""Default time limit of one call, in seconds."""

START_TIMEOUT_S = 120.0
"""Seconds an agent's process may take for its first reply: it may have a model to load."""

_STARTS_LIKE_CALLS = 10


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """Options of an agent; each adapter uses those that concern it.

    `url` of an HTTP agent; `command` of a subprocess agent; `python_path` the folders of a python agent's module and
    its imports, and `arguments` the keyword arguments of its class; `storage_path` is passed to the class as a keyword
    of that name; `passed_on` the environment variables an agent's process may see although they look like secrets;
    `load_memory` a memory store to evaluate, and `mapping` the file that names the columns of an SQLite database.
    """

    url: str | None = None
    command: tuple[str, ...] = ()
    python_path: Path | tuple[Path, ...] | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    storage_path: Path | None = None
    passed_on: tuple[str, ...] = ()
    load_memory: Path | None = None
    mapping: Path | None = None
    timeout_s: float = CALL_TIMEOUT_S
    start_timeout_s: float | None = None

    @property
    def first_timeout_s(self) -> float:
        """Time limit of a process's first reply: two minutes, but at most ten calls if calls are short."""
        if self.start_timeout_s is not None:
            return self.start_timeout_s
        return max(self.timeout_s, min(START_TIMEOUT_S, _STARTS_LIKE_CALLS * self.timeout_s))


Builder = Callable[[str, AgentOptions], AgentAdapter]
"""Makes an agent from the text after the first colon ("" without one) and the options."""
