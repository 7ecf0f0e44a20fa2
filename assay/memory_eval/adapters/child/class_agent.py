"""Agent that is a Python class in a child process, for the adapters of agents, stores and libraries.

Only JSON passes between the processes: nothing is pickled, and none of the agent's code runs here.
"""

from __future__ import annotations

import contextlib
import re
import sys
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.child.child_agent import ChildAgent, checksum_of
from assay.memory_eval.adapters.child.child_process import LEAVING_S, Child
from assay.memory_eval.adapters.options import AgentOptions
from assay.memory_eval.adapters.replies import shortly
from assay.memory_eval.errors import AgentCallFailed, AgentFailed, ExamUsageError

_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


class ClassAgent(ChildAgent):
    """A class that a module has; subclasses set what it is called."""

    adapter: str
    """Name of the adapter, before `module:Class`."""

    is_store = False
    """Whether the class has `remember` and `search` instead of `learn` and `answer`."""

    def __init__(self, text: str, options: AgentOptions) -> None:
        module, _, made_by = text.partition(":")
        if not _NAME.fullmatch(module) or not _NAME.fullmatch(made_by):
            name = self.adapter
            raise ExamUsageError(f"adapter `{name}` needs `{name}:module:Class`, not {name + ':' + text!r}")
        given = Path.cwd() if options.python_path is None else options.python_path
        folders = [given] if isinstance(given, Path) else list(given)
        for folder in folders:
            if not folder.is_dir():
                raise ExamUsageError(f"--python-path {folder} is not a folder", code="agent.no-folder")
        self._module, self._looked_in = module, ", ".join(map(str, folders))
        super().__init__((sys.executable, "-P", "-m", "assay.memory_eval.adapters.child.python_child"), options)
        self.name = f"{self.adapter}:{text}"
        self.fingerprint = checksum_of(self.fingerprint, text, [str(folder.resolve()) for folder in folders])
        arguments = dict(options.arguments)
        if options.storage_path is not None:
            arguments["storage_path"] = str(options.storage_path)
        self._first: dict[str, Any] = {
            "op": "start",
            "python_path": [str(folder.resolve()) for folder in folders],
            "module": module,
            "class": made_by,
            "is_store": self.is_store,
            "arguments": arguments,
        }

    def _on_start(self, child: Child) -> None:
        try:
            reply = child.ask(self._first, self._options.first_timeout_s)
        except (AgentCallFailed, AgentFailed) as failed:
            self.abandon()
            raise AgentFailed(f"{self.name} did not start: {failed}", code="agent.not-started") from None
        if (error := reply.get("error")) is not None:
            self.abandon()
            raise AgentFailed(
                f"{self.name} did not start: {shortly(error)}{self._advice(str(error))}", code="agent.not-started"
            )
        self._is_new = False
        self.can_save = reply.get("can_save") is True
        self.can_retrieve = reply.get("can_retrieve") is True
        self.persists = True if reply.get("persistent") is True else None

    def _advice(self, error: str) -> str:
        """Return advice for a missing module: the agent's own, or one that it imports."""
        if not error.startswith("ModuleNotFoundError"):
            return ""
        if f"'{self._module.partition('.')[0]}'" in error:
            return f" in {self._looked_in}; set --python-path to its folder"
        return f"; it runs by {sys.executable}: install it there, or give its folder by another --python-path"

    def _on_leaving(self, child: Child) -> None:
        # A process that hangs on exit is killed; no answer is outstanding.
        with contextlib.suppress(AgentCallFailed, AgentFailed):
            child.ask({"op": "close"}, min(self._options.timeout_s, LEAVING_S))
