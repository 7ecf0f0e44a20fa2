"""Letta agent files (`.af`): memory blocks and messages. Archival passages are not part of an agent file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.json_lines import objects_in, parsed
from assay.memory_eval.adapters.snapshots.object_text import text_of
from assay.memory_eval.adapters.snapshots.reading import Reading, candidates, head_of, shown
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.adapters.snapshots.stored import stored
from assay.memory_eval.errors import WorldUnreadable

_BEGINS = re.compile(r'\s*"?\{')
_MARKS = (
    re.compile(r'"agent_type"\s*:'),
    re.compile(r'"(?:in_context_message_(?:ids|indices)|core_memory|llm_config)"\s*:'),
)
_SUFFIXES = frozenset({".af", ".json"})
_NOT_MEMORY = "system"
"""The system message repeats the instructions and the blocks."""


class Letta:
    """Reader of an agent file of either form: `agents` and `blocks`, or one agent with `core_memory`."""

    name = "letta"
    title = "Letta agent file (.af)"

    def detects(self, path: Path) -> bool:
        return any(map(_is_agent, candidates(path, _SUFFIXES)))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        version = None
        for file in reading.files(_SUFFIXES, _is_agent):
            whole, why = parsed(reading.text(file))
            if isinstance(whole, str):  # some agent files are JSON in a JSON text
                whole, why = parsed(whole)
            if not isinstance(whole, dict):
                raise WorldUnreadable(
                    f"{shown(file)}: a damaged agent file: {why or 'not an object'}", code="snapshot.damaged"
                )
            if not (isinstance(whole.get("agents"), list) or isinstance(whole.get("core_memory"), list)):
                raise WorldUnreadable(
                    f"{shown(file)}: an unknown version of an agent file: neither agents nor core_memory is a list",
                    code="snapshot.unknown-version",
                )
            reading.keep(_blocks(reading, file, whole))
            for _, agent in _objects(reading, file, whole.get("agents")) if "agents" in whole else [(1, whole)]:
                reading.keep(_messages(reading, file, agent))
            version = version or _version(whole)
        reading.note("an agent file has no archival passages; export them from the server")
        return reading.snapshot(self.name, version)


def _is_agent(file: Path) -> bool:
    head = head_of(file)
    if head is None or not _BEGINS.match(head):
        return False
    return file.suffix.lower() == ".af" or all(mark.search(head) for mark in _MARKS)


def _version(whole: dict[str, Any]) -> str | None:
    metadata = whole.get("metadata")
    found = whole.get("version") or (metadata.get("revision_id") if isinstance(metadata, dict) else None)
    return str(found)[:80] if isinstance(found, str | int) else None


def _blocks(reading: Reading, file: Path, whole: dict[str, Any]) -> Iterator[Entry]:
    for number, block in _objects(reading, file, whole.get("blocks") or whole.get("core_memory")):
        if not isinstance(block.get("value"), str):
            reading.leave(file, number, "a block whose value is not a text")
            continue
        label = block.get("label")
        yield from stored(
            block["value"],
            f"block {block.get('id') or label or number}",
            "block",
            about=label,
            created=block.get("created_at"),
            updated=block.get("updated_at"),
        )


def _messages(reading: Reading, file: Path, agent: dict[str, Any]) -> Iterator[Entry]:
    for number, message in _objects(reading, file, agent.get("messages")):
        role = message.get("role")
        if role == _NOT_MEMORY:
            continue
        text = text_of(message.get("content")) or text_of(message.get("text"))
        yield from stored(
            text,
            str(message.get("id") or f"message {number}"),
            "message",
            created=message.get("created_at"),
            speaker=role,
        )


def _objects(reading: Reading, file: Path, value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    return objects_in(reading, file, value if isinstance(value, list) else [])
