"""Agent around a memory store in a child process: the store writes and searches, Assay's reader answers."""

from __future__ import annotations

import re
import shutil
import tempfile
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.adapter import AgentResponse
from assay.memory_eval.adapters.child.child_process import Child
from assay.memory_eval.adapters.child.class_agent import ClassAgent
from assay.memory_eval.adapters.extracting.answering import NUM_FOUND, READER, pick
from assay.memory_eval.adapters.extracting.clauses import Passage
from assay.memory_eval.adapters.options import AgentOptions

CHARACTERS_OF_A_TOKEN = 4
"""Characters counted as one token of the texts that a search returned: the reader has no tokenizer."""

_NUMBER = re.compile(r"turn[ -](\d{1,18})")


class StoreAgent(ClassAgent):
    """Class with `remember(turn)` and `search(question, k)`: `store:module:Class`."""

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
    """Memory of a known library: a class of this package, with a separate folder.

    The folder is removed with this object, unless `options.storage_path` names one.
    """

    adapter = "library"

    def __init__(self, name: str, made_by: str, options: AgentOptions, **arguments: Any) -> None:
        # Without --python-path nothing is imported from the current folder: it may have a folder of the library's name.
        own = replace(options, arguments=arguments, python_path=options.python_path or ())
        super().__init__(f"{__package__}.{made_by}", own)
        self.name = name
        self._kept = options.storage_path

    def _on_start(self, child: Child) -> None:
        if self._kept is None:
            self._kept = self._temporary()
        self._first["arguments"]["storage_path"] = str(self._kept)
        super()._on_start(child)

    def _temporary(self) -> Path:
        folder = Path(tempfile.mkdtemp(prefix="assay-store-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder


class LibraryStore(LibraryAgent, StoreAgent):
    """Store of a known library, in the child process or on a server."""
