"""Agent that is a Python class in a child process, for the adapters of agents, stores and libraries.

Only JSON passes between the processes: nothing is pickled, and none of the agent's code runs here.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
import tempfile
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.adapter import AgentOptions, AgentResponse
from assay.memory_eval.adapters.child.child_agent import ChildAgent, checksum_of
from assay.memory_eval.adapters.child.child_process import LEAVING_S, Child
from assay.memory_eval.adapters.extracting.reader import NUM_FOUND, READER, Passage, pick
from assay.memory_eval.adapters.replies import shortly
from assay.memory_eval.errors import AgentCallFailed, AgentFailed, ExamUsageError

CHARACTERS_OF_A_TOKEN = 4
"""Characters counted as one token of the texts that a search returned: the reader has no tokenizer."""

_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_NUMBER = re.compile(r"turn[ -](\d{1,18})")


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


class PythonAgent(ClassAgent):
    """A class with `learn` and `answer`; `reset`, `stats`, `retrieve`, `save`, `load` and `close` are optional."""

    adapter = "python"


class StoreAgent(ClassAgent):
    """Class with `remember(turn)` and `search(question, k)`, which Assay's reader answers for: `store:module:Class`."""

    adapter = "store"
    is_store = True
    reader = READER
    carries_value = False

    def answer(self, question: str) -> AgentResponse:
        """Answer from the texts that the store finds; nothing else of the dialogue is known here."""
        found = self.retrieve(question, NUM_FOUND)[:NUM_FOUND]
        # The reader prefers the entry stored last; without numbered turns the best entry counts as the last.
        numbered = [match for one in found if (match := _NUMBER.fullmatch(one.id or ""))]
        places = [int(match[1]) for match in numbered] if len(numbered) == len(found) else range(0, -len(found), -1)
        passages = [Passage(place, one.text) for place, one in zip(places, found, strict=True)]
        picked = pick(question, passages, "bm25")  # as `baseline:bm25` does
        names = {passage.place: one.id or "" for passage, one in zip(passages, found, strict=True)}
        return AgentResponse(
            picked.answer,
            confidence=picked.confidence,
            sources=tuple(names[place] for place in picked.places if names[place]),
            context_tokens=sum(-(-len(one.text) // CHARACTERS_OF_A_TOKEN) for one in found),
        )


class LibraryAgent(ClassAgent):
    """Memory of a known library: a class of `live/`, with a separate folder.

    The folder is removed with this object, unless `options.storage_path` names one.
    """

    adapter = "library"

    def __init__(self, name: str, made_by: str, options: AgentOptions, **arguments: Any) -> None:
        # Without --python-path nothing is imported from the current folder: it may have a folder of the library's name.
        own = replace(options, arguments=arguments, python_path=options.python_path or ())
        super().__init__(f"assay.memory_eval.adapters.live.{made_by}", own)
        self.name = name
        self._kept = options.storage_path

    def _on_start(self, child: Child) -> None:
        if self._kept is None:
            self._kept = Path(tempfile.mkdtemp(prefix="assay-store-"))
            weakref.finalize(self, shutil.rmtree, self._kept, ignore_errors=True)
        self._first["arguments"]["storage_path"] = str(self._kept)
        super()._on_start(child)


class LibraryStore(LibraryAgent, StoreAgent):
    """Store of a known library, in the child process or on a server."""
