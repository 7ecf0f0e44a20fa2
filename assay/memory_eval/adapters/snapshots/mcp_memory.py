"""The knowledge graph of the Model Context Protocol's memory server: one JSON object per line.

`{"type": "entity", name, entityType, observations: [text]}` and `{"type": "relation", from, to, relationType}`. Each
observation and each relation is an entry; so is an entity without observations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.json_lines import first_line, objects_of, parsed
from assay.memory_eval.adapters.snapshots.reading import Reading, candidates, head_of, pieces
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.adapters.snapshots.stored import MOST_NAME

_FIELDS = {"entity": ("name", "entityType"), "relation": ("from", "to", "relationType")}
_SUFFIXES = frozenset({".json", ".jsonl"})
_BEGINS = re.compile(r'\s*\{\s*"type"\s*:\s*"(?:entity|relation)"\s*,')


class McpMemory:
    """Reader of `memory.jsonl`, or of a folder that contains one."""

    name = "mcp_memory"
    title = "MCP server-memory (memory.jsonl)"

    def detects(self, path: Path) -> bool:
        return any(map(_is_graph, candidates(path, _SUFFIXES)))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        for file in reading.files(_SUFFIXES, _is_graph):
            for line, item in objects_of(reading, file, reading.text(file)):
                reading.keep(_entries_of(reading, file, line, item))
        return reading.snapshot(self.name)


def _is_graph(path: Path) -> bool:
    head = head_of(path)
    if head is None:
        return False
    line = first_line(head)
    value, _ = parsed(line)
    if value is None:
        return _BEGINS.match(line) is not None  # a line longer than the head, or a broken one
    return isinstance(value, dict) and _fields_of(value) is not None


def _fields_of(item: dict[str, Any]) -> dict[str, str] | None:
    kind = item.get("type")
    wanted = _FIELDS.get(kind) if isinstance(kind, str) else None
    values = {name: item.get(name) for name in wanted or ()}
    texts = {
        name: value.strip()[:MOST_NAME] for name, value in values.items() if isinstance(value, str) and value.strip()
    }
    return texts if texts and len(texts) == len(values) else None


def _entries_of(reading: Reading, file: Path, line: int, item: dict[str, Any]) -> Iterator[Entry]:
    fields = _fields_of(item)
    place = f"{file.name}:{line}"
    if fields is None:
        reading.leave(file, line, "neither an entity with a name and a type nor a relation between two")
    elif item["type"] == "relation":
        text = f"{fields['from']} {_spoken(fields['relationType'])} {fields['to']}"
        yield from (Entry(piece, place, "relation", fields["from"]) for piece in pieces(text))
    else:
        yield from _entity(reading, file, line, fields, item.get("observations"))


def _entity(reading: Reading, file: Path, line: int, fields: dict[str, str], told: Any) -> Iterator[Entry]:
    name, place = fields["name"], f"{file.name}:{line}"
    if not isinstance(told, list):
        reading.leave(file, line, "an entity whose observations are not a list")
    elif not told:
        yield from (
            Entry(piece, place, "entity", name) for piece in pieces(f"{name} ({_spoken(fields['entityType'])})")
        )
    else:
        for number, observation in enumerate(told, start=1):
            if not isinstance(observation, str):
                reading.leave(file, line, f"observation {number} is not a text")
                continue
            for piece in pieces(observation) or [""]:
                text = f"{name} ({_spoken(fields['entityType'])}): {piece}" if piece else ""
                yield Entry(text, f"{place}#{number}", "observation", name)


def _spoken(word: str) -> str:
    """Return `works_at` as `works at`."""
    return word.replace("_", " ").replace("-", " ")
