"""An agent in a process of ours, spoken to by JSON lines: what subprocess and python agents have alike."""

from __future__ import annotations

import hashlib
import json
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.adapter import AgentResponse
from assay.memory_eval.adapters.child_process import Child, environment_without_secrets
from assay.memory_eval.adapters.options import AgentOptions
from assay.memory_eval.adapters.remote import RemoteAgent
from assay.memory_eval.adapters.replies import response_from, shortly, stats_from
from assay.memory_eval.errors import AgentCallFailed, CannotReset

_FRAME = {"ok", "id", "op"}
"""What belongs to a reply rather than to what it says: some put their stats straight beside it."""


def checksum_of(*parts: object) -> str:
    """A short checksum of plain values."""
    return hashlib.sha256(json.dumps(parts, default=str, sort_keys=True).encode()).hexdigest()[:12]


class ChildAgent(RemoteAgent):
    """Started with the first call, and anew by `renew`; ended by `close`, or when nobody holds it any more."""

    can_save = False
    """Whether it can write what it learned to a file, and read it again."""

    persists: bool | None = None
    """Whether what it learned outlives its process, by a store of its own; None: it does not say."""

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
        """Have it forget; one that cannot is ended and started anew, which is to forget unless it keeps a store."""
        try:
            self.call({"op": "reset"})
        except CannotReset:
            self.restart()

    def stats(self) -> Mapping[str, Any]:
        reply = self.call({"op": "stats"})
        return stats_from(reply.get("stats", {name: value for name, value in reply.items() if name not in _FRAME}))

    def renew(self, memory: Path) -> None:
        """End its process and start it anew, with what it learned carried over by its own store or by `memory`."""
        if self.can_save:
            self.save(memory)
        self.restart()
        if self.can_save:
            self.load(memory)

    def save(self, memory: Path) -> None:
        """Have it write what it learned; only where it `can_save`."""
        self.call({"op": "save", "path": str(memory)})

    def load(self, memory: Path) -> None:
        """Have it read what it wrote; only where it `can_save`."""
        self.call({"op": "load", "path": str(memory)})

    def restart(self) -> None:
        """End its process and start it anew."""
        self.close()
        self.start()

    def close(self) -> None:
        if self._child is not None:
            if not self._child.is_behind:
                self._on_leaving(self._child)
            self._child.close()
        self._let_go()

    def abandon(self) -> None:
        """End its process without a word."""
        if self._child is not None:
            self._child.kill()
        self._let_go()

    def _let_go(self) -> None:
        if self._finalizer is not None:
            self._finalizer.detach()
        self._child = self._finalizer = None

    def start(self) -> Child:
        """Its running process, started where there is none; raises `AgentFailed`."""
        if self._child is None:
            self._child = Child(self._command, env=self._environment)
            self._finalizer = weakref.finalize(self, self._child.kill)
            self._is_new = True
            self._on_start(self._child)
        return self._child

    def call(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """One call; raises `AgentCallFailed` for what it calls an error, `CannotReset` where it offers no reset."""
        child = self.start()
        timeout_s = max(self._options.timeout_s, self._options.first_timeout_s if self._is_new else 0.0)
        reply = child.ask(message, timeout_s)
        self._is_new = False
        error = reply.get("error", "it said that this was not ok" if reply.get("ok") is False else None)
        if error is not None:
            failed = CannotReset if reply.get("unsupported") is True and message["op"] == "reset" else AgentCallFailed
            raise failed(shortly(error))
        return reply

    def _on_start(self, child: Child) -> None:
        """What a fresh process has to be told first."""

    def _on_leaving(self, child: Child) -> None:
        """What a process is told before it ends."""
