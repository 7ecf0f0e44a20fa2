"""Graphiti and Zep: nodes, edges and episodes exported as JSON, in one object, a list, or lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.json_lines import first_line, objects_of, parsed
from assay.memory_eval.adapters.snapshots.reading import Reading, has_suffix, head_of, shown, walk
from assay.memory_eval.adapters.snapshots.snapshot import Snapshot
from assay.memory_eval.adapters.snapshots.stores.graph_facts import episode_entries, fact_entries, summary_entries
from assay.memory_eval.errors import WorldUnreadable

_SUFFIXES = frozenset({".json", ".jsonl"})
_FACT = re.compile(r'"fact"\s*:')
_TIMES = re.compile(r'"(?:invalid_at|expired_at)"\s*:')
_LISTS = ("nodes", "edges", "facts", "episodes", "communities")


class Graphiti:
    """Reader of an export; a Kuzu database is another reader's."""

    name = "graphiti"
    title = "Graphiti or Zep (JSON export)"

    def detects(self, path: Path) -> bool:
        return any(map(_is_export, _candidates(path)))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        for file in filter(_is_export, _candidates(path)):
            items = list(_items(reading, file))
            names = {item.get("uuid"): item.get("name") for _, item in items if "fact" not in item}
            for number, item in items:
                if "fact" in item:
                    reading.keep(fact_entries(item, names.get(item.get("source_node_uuid"))))
                elif "content" in item:
                    reading.keep(episode_entries(item))
                elif "summary" in item:
                    reading.keep(summary_entries(item))
                else:
                    reading.leave(file, number, "neither a fact nor an episode nor a node with a summary")
        return reading.snapshot(self.name)


def _candidates(path: Path) -> list[Path]:
    return sorted(item for item in walk(path) if has_suffix(item, _SUFFIXES)) if path.is_dir() else [path]


def _is_export(file: Path) -> bool:
    head = head_of(file)
    return (
        head is not None
        and head.lstrip()[:1] in "{["
        and _FACT.search(head) is not None
        and _TIMES.search(head) is not None
    )


def _items(reading: Reading, file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    text = reading.text(file)
    first = first_line(text)
    if isinstance(parsed(first)[0], dict) and text.strip() != first.strip():
        yield from objects_of(reading, file, text)
        return
    whole, why = parsed(text)
    if isinstance(whole, dict) and "fact" not in whole:
        found = [item for name in _LISTS if isinstance(whole.get(name), list) for item in whole[name]]
    elif whole is None:
        raise WorldUnreadable(f"{shown(file)}: a damaged export: {why}", code="snapshot.damaged")
    else:
        found = whole if isinstance(whole, list) else [whole]
    for number, item in enumerate(found, start=1):
        if isinstance(item, dict):
            yield number, item
        else:
            reading.leave(file, number, "a JSON value, but no object")
