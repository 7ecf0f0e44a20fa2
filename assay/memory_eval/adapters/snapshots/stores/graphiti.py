"""Graphiti and Zep: nodes, edges and episodes exported as JSON, in one object, a list, or lines."""

from __future__ import annotations

import re
from pathlib import Path

from assay.memory_eval.adapters.snapshots.json_lines import items_of
from assay.memory_eval.adapters.snapshots.reading import Reading, candidates, head_of
from assay.memory_eval.adapters.snapshots.snapshot import Snapshot
from assay.memory_eval.adapters.snapshots.stores.graph_facts import episode_entries, fact_entries, summary_entries

_SUFFIXES = frozenset({".json", ".jsonl"})
_FACT = re.compile(r'"fact"\s*:')
_TIMES = re.compile(r'"(?:invalid_at|expired_at)"\s*:')
_LISTS = ("nodes", "edges", "facts", "episodes", "communities")


class Graphiti:
    """Reader of an export; a Kuzu database is another reader's."""

    name = "graphiti"
    title = "Graphiti or Zep (JSON export)"

    def detects(self, path: Path) -> bool:
        return any(map(_is_export, candidates(path, _SUFFIXES)))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        for file in reading.files(_SUFFIXES, _is_export):
            items = list(items_of(reading, file, _LISTS))
            names = {str(item.get("uuid")): item.get("name") for _, item in items if "fact" not in item}
            for number, item in items:
                if "fact" in item:
                    reading.keep(fact_entries(item, names.get(str(item.get("source_node_uuid")))))
                elif "content" in item:
                    reading.keep(episode_entries(item))
                elif "summary" in item:
                    reading.keep(summary_entries(item))
                else:
                    reading.leave(file, number, "neither a fact nor an episode nor a node with a summary")
        return reading.snapshot(self.name)


def _is_export(file: Path) -> bool:
    head = head_of(file)
    return (
        head is not None
        and head.lstrip()[:1] in "{["
        and _FACT.search(head) is not None
        and _TIMES.search(head) is not None
    )
