"""Evaluation of a memory store as it is on disk: `--load-memory PATH --adapter snapshot`.

The store is opened read-only and cannot learn. A question is looked up by words and by meaning, and answered from the
entries found, without a model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.adapter import AgentAdapter, AgentOptions, AgentResponse, Retrieved
from assay.memory_eval.adapters.extracting.reader import READER, Passage, looked_up
from assay.memory_eval.adapters.extracting.retrieval import OURS, Index
from assay.memory_eval.adapters.snapshots.health import health_of
from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from assay.memory_eval.adapters.snapshots.snapshot import STATES, Entry, Snapshot
from assay.memory_eval.errors import AgentCallFailed, ExamUsageError

MOST_UNREAD_SHOWN = 5


class SnapshotAgent(AgentAdapter):
    """Agent that answers from the entries of a memory store."""

    reader = READER
    retriever = OURS

    def __init__(self, path: Path, mapping: Path | None = None) -> None:
        self._read(open_snapshot(path, mapping))

    def _read(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self.name = f"snapshot:{snapshot.format}"
        self._entries = snapshot.live  # what was replaced or deleted answers nothing
        said = "\0".join(entry.text for entry in self._entries)
        self.fingerprint = hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        self._index = Index([entry.text for entry in self._entries], "both")
        self._index.search("ready", 1)  # index a large store now, not within the time limit of the first answer

    def date_to(self, moment: datetime) -> None:
        """Take the entries as of a moment: what the world ended by then is history, whatever the machine's clock."""
        dated = self._snapshot.at(moment)
        if dated != self._snapshot:
            self._read(dated)

    def learn(self, content: str) -> None:  # noqa: ARG002 - whatever it is
        """Raise: a loaded store cannot learn."""
        raise AgentCallFailed("a loaded memory is opened read-only and cannot be taught; add --skip-learning")

    def answer(self, question: str) -> AgentResponse:
        entries = self._entries
        picked = looked_up(
            question, self._index, lambda place: Passage(place, entries[place].text, entries[place].updated_at)
        )
        sources = tuple(entries[place].id for place in picked.places)
        return AgentResponse(picked.answer, confidence=picked.confidence, sources=sources)

    def retrieve(self, question: str, k: int) -> Sequence[Retrieved]:
        """Return the live entries that the reader would answer from."""
        found = self._index.search(question, k)
        return [Retrieved(self._entries[place].text, self._entries[place].id, score) for place, score in found]

    def entries(self) -> Sequence[Entry]:
        """Return all entries; what the reader retrieves from them is measured apart from what they hold."""
        return self._snapshot.entries

    def reset(self) -> None:
        """Do nothing: nothing was learned."""

    def stats(self) -> Mapping[str, Any]:
        """Return format, size, health and unreadable parts."""
        snapshot = self._snapshot
        states = {state: sum(entry.state == state for entry in snapshot.entries) for state in STATES}
        return {
            "format": snapshot.format,
            "entries": len(self._entries),
            "bytes": snapshot.num_bytes,
            **health_of(snapshot),
            **({"states": states} if states["live"] < len(snapshot.entries) else {}),
            **({"notes": list(snapshot.notes)} if snapshot.notes else {}),
            "num_unread": snapshot.num_unread,
            **({"unread": list(snapshot.unread[:MOST_UNREAD_SHOWN])} if snapshot.unread else {}),
        }


def loaded_snapshot(rest: str, options: AgentOptions) -> AgentAdapter:
    """Load the store at `--load-memory` or at the path after the colon; raise WorldUnreadable if that fails."""
    path = options.load_memory or (Path(rest) if rest else None)
    if path is None:
        raise ExamUsageError("a snapshot needs a memory to evaluate: --load-memory PATH --skip-learning")
    return SnapshotAgent(path, options.mapping)
