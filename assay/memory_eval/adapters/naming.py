"""From an adapter's name, as people write it, to an agent that can be examined."""

from __future__ import annotations

from assay.memory_eval.adapters.adapter import AgentAdapter
from assay.memory_eval.adapters.options import AgentOptions
from assay.memory_eval.adapters.register import ADAPTERS
from assay.memory_eval.adapters.replies import shortly
from assay.memory_eval.errors import ExamUsageError, UnknownAdapter

WITH = {"baseline": ":NAME", "python": ":module:Class", "subprocess": ":COMMAND"}
"""What has to stand behind a name."""


def agent_from(text: str, options: AgentOptions | None = None) -> AgentAdapter:
    """The agent a text names: `http`, `subprocess:COMMAND`, `python:module:Class`, …: the key, a colon, what it takes.

    Nothing is started or called yet; whoever asked for the agent closes it. Raises `UnknownAdapter`, and
    `ExamUsageError` where the rest does not make sense.
    """
    options = options or AgentOptions()
    if not (options.timeout_s > 0 and options.first_timeout_s > 0):
        raise ExamUsageError("a timeout has to be longer than nothing")
    key, _, rest = text.partition(":")
    if key == "https":
        key, rest = "http", text
    if key not in ADAPTERS:
        known = ", ".join(sorted(f"{name}{WITH.get(name, '')}" for name in ADAPTERS))
        raise UnknownAdapter(f"no adapter is called {shortly(key)!r}; there are {known}")
    return ADAPTERS[key](rest, options)
