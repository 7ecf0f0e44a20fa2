"""AutoGen: a dumped `ListMemory`, and saved states of agents and teams with their messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.json_lines import objects_in, parsed
from assay.memory_eval.adapters.snapshots.object_text import DAY_FIELDS, about_of, first_value, text_of
from assay.memory_eval.adapters.snapshots.reading import Reading, candidates, head_of, shown
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.adapters.snapshots.stored import stored
from assay.memory_eval.errors import WorldUnreadable

_MEMORY = re.compile(r'"memory_contents"\s*:\s*\[')
_MESSAGE = re.compile(r'"type"\s*:\s*"(?:User|Assistant|FunctionExecutionResult|Text|MultiModal|StopMessage)Message"')
_STATE = re.compile(r'"(?:messages|message_thread)"\s*:\s*\[')
_SUFFIXES = frozenset({".json"})
_LISTS = ("messages", "message_thread")
_NOT_MEMORY = "SystemMessage"
_MOST_NESTED = 20


class Autogen:
    """Reader of a memory's `dump_component()` or an agent's `save_state()` as JSON, or of a folder of them."""

    name = "autogen"
    title = "AutoGen memory or state (JSON)"

    def detects(self, path: Path) -> bool:
        return any(map(_is_autogen, candidates(path, _SUFFIXES)))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        versions = set()
        for file in reading.files(_SUFFIXES, _is_autogen):
            whole, why = parsed(reading.text(file))
            if not isinstance(whole, dict):
                raise WorldUnreadable(
                    f"{shown(file)}: a damaged memory of AutoGen: {why or 'not an object'}", code="snapshot.damaged"
                )
            if isinstance(whole.get("component_version"), int):
                versions.add(whole["component_version"])
            seen: set[tuple[str | None, str]] = set()
            for entry in _entries(reading, file, whole, file.stem, 0):
                if (entry.speaker, entry.text) not in seen:  # a team repeats its agents' messages
                    seen.add((entry.speaker, entry.text))
                    reading.keep([entry])
        return reading.snapshot(self.name, f"component {max(versions)}" if versions else None)


def _is_autogen(file: Path) -> bool:
    head = head_of(file)
    if head is None or not head.lstrip().startswith("{"):
        return False
    is_state = _STATE.search(head) and _MESSAGE.search(head) and '"source"' in head
    return bool(_MEMORY.search(head) or is_state)


def _entries(reading: Reading, file: Path, value: Any, place: str, depth: int) -> Iterator[Entry]:
    """Yield the memory contents and messages anywhere in a state: a team nests its agents' states."""
    if not isinstance(value, dict) or depth > _MOST_NESTED:
        return
    for name, inner in value.items():
        here = f"{place}/{name}"[:300]
        if name == "memory_contents" and isinstance(inner, list):
            for number, item in objects_in(reading, file, inner):
                yield from _memory(item, f"{here}/{number}")
        elif name in _LISTS and isinstance(inner, list):
            for number, item in objects_in(reading, file, inner):
                yield from _message(item, f"{here}/{number}")
        else:
            yield from _entries(reading, file, inner, here, depth + 1)


def _memory(item: dict[str, Any], place: str) -> Iterator[Entry]:
    metadata = item.get("metadata")
    known = metadata if isinstance(metadata, dict) else {}
    text, when = text_of(item.get("content")), first_value(known, DAY_FIELDS)
    yield from stored(text, place, "memory", about=about_of(known), updated=when)


def _message(item: dict[str, Any], place: str) -> Iterator[Entry]:
    if item.get("type") != _NOT_MEMORY:
        yield from stored(
            text_of(item.get("content")),
            place,
            "message",
            created=item.get("created_at"),
            speaker=item.get("source"),
        )
