"""Agent that is any program: JSON lines on its standard input and output.

The protocol is in `schemas/agent-subprocess.schema.json` and docs/memory/agents.md.
"""

from __future__ import annotations

import os
import shlex

from assay.memory_eval.adapters.child.child_agent import ChildAgent
from assay.memory_eval.adapters.options import AgentOptions
from assay.memory_eval.errors import ExamUsageError


class SubprocessAgent(ChildAgent):
    """A command started in the current folder; `text` is its command line if the options have none."""

    def __init__(self, text: str, options: AgentOptions) -> None:
        super().__init__(_command(text, options), options)
        self.name = f"subprocess:{_shown(self._command)}"


def _shown(command: tuple[str, ...]) -> str:
    """Return the program and its script, if any; other arguments may hold secrets."""
    program, *others = command
    script = [os.path.basename(other) for other in others[:1] if os.path.isfile(other)]
    return " ".join([os.path.basename(program), *script])


def _command(text: str, options: AgentOptions) -> tuple[str, ...]:
    try:
        command = options.command or tuple(shlex.split(text))
    except ValueError as error:
        raise ExamUsageError(f"the agent's command {text!r} cannot be read: {error}") from None
    if not command:
        raise ExamUsageError("adapter `subprocess` needs a command: `subprocess:COMMAND …`")
    return command
