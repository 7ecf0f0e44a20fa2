"""The knowledge graph of the Model Context Protocol's memory server: one JSON object per line.

`{"type": "entity", name, entityType, observations: [text]}` and `{"type": "relation", from, to, relationType}`. Each
observation and each relation is an entry; so is an entity without observations.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.json_lines import first_line, objects_of
from assay.memory_eval.adapters.snapshots.reading import Reader, Reading, candidates, head_of
from assay.memory_eval.adapters.snapshots.snapshot import MOST_NAME, Entry, pieces

_SUFFIXES = frozenset({".json", ".jsonl"})
_ENTITY, _RELATION = ("name", "entityType"), ("from", "relationType", "to")


def _is_graph(path: Path) -> bool:
    head = head_of(path)
    line = "" if head is None else first_line(head)
    return line.lstrip().startswith("{") and ('"entityType"' in line or '"relationType"' in line)


def _read(reading: Reading) -> str:
    for file in reading.files(_SUFFIXES, _is_graph):
        for line, item in objects_of(reading, file):
            reading.keep(_entries_of(reading, file, line, item))
    return "mcp_memory"


def _entries_of(reading: Reading, file: Path, line: int, item: dict[str, Any]) -> Iterator[Entry]:
    place, told = f"{file.name}:{line}", item.get("observations")
    if item.get("type") == "relation" and (names := _names(item, _RELATION)):
        text = f"{names[0]} {_spoken(names[1])} {names[2]}"
        yield from (Entry(piece, place, "relation", names[0]) for piece in pieces(text))
    elif item.get("type") == "entity" and (names := _names(item, _ENTITY)) and isinstance(told, list):
        subject = f"{names[0]} ({_spoken(names[1])})"
        if not told:
            yield from (Entry(piece, place, "entity", names[0]) for piece in pieces(subject))
        for number, observation in enumerate(told, start=1):
            if not isinstance(observation, str):
                reading.leave(file, line, f"observation {number} is not a text")
                continue
            for piece in pieces(observation) or [""]:
                text = f"{subject}: {piece}" if piece else ""
                yield Entry(text, f"{place}#{number}", "observation", names[0])
    else:
        reading.leave(file, line, "neither an entity with a name and a type nor a relation between two")


def _names(item: dict[str, Any], keys: tuple[str, ...]) -> list[str]:
    """Return the texts under these keys; empty if one is missing."""
    values = [item.get(key) for key in keys]
    names = [value.strip()[:MOST_NAME] for value in values if isinstance(value, str)]
    return names if len(names) == len(keys) and all(names) else []


def _spoken(word: str) -> str:
    """Return `works_at` as `works at`."""
    return word.replace("_", " ").replace("-", " ")


READER = Reader(lambda path: any(map(_is_graph, candidates(path, _SUFFIXES))), _read)
