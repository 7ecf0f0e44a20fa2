"""What the ways to reach an agent can be told, besides which agent it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.adapter import AgentAdapter

CALL_TIMEOUT_S = 60.0
"""How long one call may take where nobody says otherwise."""

START_TIMEOUT_S = 120.0
"""How long an agent's process may take until it answers for the first time: it may have a model to load."""

_STARTS_LIKE_CALLS = 10


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """How to reach an agent; each way takes what concerns it.

    `url` of an HTTP agent; `command` of a subprocess agent; `python_path` the folder a python agent's module lies in
    (several: also those of what it imports), and `arguments` the keywords its class is made with; `storage_path` goes
    to its class as a keyword of that name; `passed_on` the names of environment variables an agent's process may see
    although they look like secrets; `load_memory` a store to examine as it is.
    """

    url: str | None = None
    command: tuple[str, ...] = ()
    python_path: Path | tuple[Path, ...] | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    storage_path: Path | None = None
    passed_on: tuple[str, ...] = ()
    load_memory: Path | None = None
    timeout_s: float = CALL_TIMEOUT_S
    start_timeout_s: float | None = None

    @property
    def first_timeout_s(self) -> float:
        """What the first answer of a process may take: two minutes, but ten calls at most where calls are short."""
        if self.start_timeout_s is not None:
            return self.start_timeout_s
        return max(self.timeout_s, min(START_TIMEOUT_S, _STARTS_LIKE_CALLS * self.timeout_s))


Builder = Callable[[str, AgentOptions], AgentAdapter]
"""Makes an agent from what stands behind the first colon of its text ("" where there is none), and the options."""
