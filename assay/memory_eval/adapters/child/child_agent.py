"""Agents in a child process, called by JSON lines: any program, and the common part of Python classes.

The protocol is in `schemas/agent-subprocess.schema.json` and docs/memory/agents.md.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.adapter import AgentOptions, AgentResponse, RemoteAgent, Retrieved
from assay.memory_eval.adapters.child.child_process import Child, environment_without_secrets
from assay.memory_eval.adapters.replies import response_from, retrieved_from, shortly, stats_from
from assay.memory_eval.errors import AgentCallFailed, CannotReset, CannotRetrieve, ExamUsageError

_FRAME = {"ok", "id", "op"}
"""Keys of the reply envelope; some agents put their stats directly next to them."""


def checksum_of(*parts: object) -> str:
    """Return a short checksum of plain values."""
    return hashlib.sha256(json.dumps(parts, default=str, sort_keys=True).encode()).hexdigest()[:12]


class ChildAgent(RemoteAgent):
    """Agent in a child process: started by the first call, restarted by `renew`, ended by `close` or finalization."""

    carries_value = True

    can_save = False
    """Whether the agent can save what it learned to a file and load it again."""

    can_retrieve: bool | None = None
    """Whether the agent offers `retrieve`; None until its stats are read."""

    persists: bool | None = None
    """Whether the agent's own store outlives its process; None if the agent does not report it."""

    def __init__(self, command: Sequence[str], options: AgentOptions) -> None:
        self._command = tuple(command)
        self._options = options
        # A checksum, since commands and arguments may hold secrets.
        self.fingerprint = checksum_of(self._command, dict(options.arguments), str(options.storage_path))
        self._environment = environment_without_secrets(options.passed_on)
        self._child: Child | None = None
        self._is_new = True
        self._finalizer: weakref.finalize[..., Any] | None = None

    def learn(self, content: str) -> None:
        self.call({"op": "learn", "content": content})

    def answer(self, question: str) -> AgentResponse:
        return response_from(self.call({"op": "answer", "question": question}))

    def reset(self) -> None:
        """Reset the agent; restart the process if the agent has no reset, which forgets unless it keeps a store."""
        try:
            self.call({"op": "reset"})
        except CannotReset:
            self.restart()

    def retrieve(self, question: str, k: int) -> Sequence[Retrieved]:
        self.start()  # a Python class says at the start whether it can
        if self.can_retrieve is None:
            self.can_retrieve = self._offers_retrieve()
        if not self.can_retrieve:
            raise CannotRetrieve("this agent does not offer retrieve")
        return retrieved_from(self.call({"op": "retrieve", "question": question, "k": k}).get("results"))

    def _offers_retrieve(self) -> bool:
        """Ask first: a program may take an `op` that it does not know for a reset, and lose its store."""
        offered = self.stats().get("retrieve") is True
        # The start of a Python agent, by this call, has set it: the class has the method or not.
        return offered if self.can_retrieve is None else self.can_retrieve

    def stats(self) -> Mapping[str, Any]:
        reply = self.call({"op": "stats"})
        return stats_from(reply.get("stats", {name: value for name, value in reply.items() if name not in _FRAME}))

    def renew(self, memory: Path) -> None:
        """Restart the process and carry over what was learned, by the agent's own store or by `memory`."""
        if self.can_save:
            self.save(memory)
        self.restart()
        if self.can_save:
            self.load(memory)

    def save(self, memory: Path) -> None:
        """Save what the agent learned; requires `can_save`."""
        self.call({"op": "save", "path": str(memory)})

    def load(self, memory: Path) -> None:
        """Load what the agent saved; requires `can_save`."""
        self.call({"op": "load", "path": str(memory)})

    def restart(self) -> None:
        """Restart the process."""
        self.close()
        self.start()

    def close(self) -> None:
        if self._child is not None:
            if not self._child.is_behind:
                self._on_leaving(self._child)
            self._child.close()
        self._let_go()

    def abandon(self) -> None:
        """Kill the process without a closing message."""
        if self._child is not None:
            self._child.kill()
        self._let_go()

    def _let_go(self) -> None:
        if self._finalizer is not None:
            self._finalizer.detach()
        self._child = self._finalizer = None

    def start(self) -> Child:
        """Return the running process, starting it if necessary; raises `AgentFailed`."""
        if self._child is None:
            self._child = Child(self._command, env=self._environment)
            self._finalizer = weakref.finalize(self, self._child.kill)
            self._is_new = True
            self._on_start(self._child)
        return self._child

    def call(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Make one call.

        Raises:
            AgentCallFailed: the agent replied with an error.
            CannotReset: the agent does not support reset.
            CannotRetrieve: the agent does not support retrieve.
        """
        child = self.start()
        timeout_s = max(self._options.timeout_s, self._options.first_timeout_s if self._is_new else 0.0)
        reply = child.ask(message, timeout_s)
        self._is_new = False
        error = reply.get("error", "it did not return ok: true" if reply.get("ok") is False else None)
        if error is not None:
            optional = {"reset": CannotReset, "retrieve": CannotRetrieve}
            is_unsupported = reply.get("unsupported") is True
            raise (optional.get(message["op"], AgentCallFailed) if is_unsupported else AgentCallFailed)(shortly(error))
        return reply

    def _on_start(self, child: Child) -> None:
        """Send the messages a new process needs first."""

    def _on_leaving(self, child: Child) -> None:
        """Send the last message before the process ends."""


class SubprocessAgent(ChildAgent):
    """A command started in the current folder; `text` is its command line if the options have none."""

    def __init__(self, text: str, options: AgentOptions) -> None:
        try:
            command = options.command or tuple(shlex.split(text))
        except ValueError as error:
            raise ExamUsageError(f"the agent's command {text!r} cannot be read: {error}") from None
        if not command:
            raise ExamUsageError("adapter `subprocess` needs a command: `subprocess:COMMAND …`")
        super().__init__(command, options)
        # The program and its script, if any; other arguments may hold secrets.
        script = [os.path.basename(other) for other in command[1:2] if os.path.isfile(other)]
        self.name = f"subprocess:{' '.join([os.path.basename(command[0]), *script])}"
