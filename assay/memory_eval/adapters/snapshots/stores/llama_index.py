"""LlamaIndex: `docstore.json`, the documents and nodes of a `SimpleDocumentStore`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.json_lines import parsed
from assay.memory_eval.adapters.snapshots.object_text import ABOUT_FIELDS, about_of
from assay.memory_eval.adapters.snapshots.reading import Reading, candidates, head_of, shown
from assay.memory_eval.adapters.snapshots.snapshot import Entry, Snapshot
from assay.memory_eval.adapters.snapshots.stored import stored
from assay.memory_eval.errors import WorldUnreadable

_BEGINS = re.compile(r'\s*\{\s*"docstore/(?:data|metadata|ref_doc_info)"\s*:')
_SUFFIXES = frozenset({".json"})


class LlamaIndex:
    """Reader of `docstore.json`, or of the folder an index was persisted to."""

    name = "llama_index"
    title = "LlamaIndex (docstore.json)"

    def detects(self, path: Path) -> bool:
        return any(map(_is_docstore, candidates(path, _SUFFIXES)))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        num_textless = 0
        for file in reading.files(_SUFFIXES, _is_docstore):
            whole, why = parsed(reading.text(file))
            nodes = whole.get("docstore/data") if isinstance(whole, dict) else None
            if not isinstance(nodes, dict):
                raise WorldUnreadable(
                    f"{shown(file)}: a damaged docstore: {why or 'docstore/data is missing'}", code="snapshot.damaged"
                )
            for number, (node_id, node) in enumerate(nodes.items(), start=1):
                data = node.get("__data__") if isinstance(node, dict) else None
                if not isinstance(data, dict):
                    reading.leave(file, number, "a node without __data__")
                    continue
                found = list(_entries(node_id, data))
                reading.keep(found)
                num_textless += not found
        if num_textless:
            reading.note(f"{num_textless} nodes have no text")
        return reading.snapshot(self.name)


def _is_docstore(file: Path) -> bool:
    head = head_of(file)
    return head is not None and _BEGINS.match(head) is not None


def _entries(node_id: str, data: dict[str, Any]) -> Iterator[Entry]:
    """Yield a node's text: `text`, or since 0.12 `text_resource.text` for documents."""
    resource = data.get("text_resource")
    inner = resource.get("text") if isinstance(resource, dict) else None
    text = next((value for value in (data.get("text"), inner) if isinstance(value, str)), "")
    metadata = data.get("metadata") or data.get("extra_info")
    known = metadata if isinstance(metadata, dict) else {}
    yield from stored(
        text,
        node_id,
        "node",
        about=about_of(known, (*ABOUT_FIELDS, "file_name")),
        created=known.get("creation_date") or known.get("created_at"),
        updated=known.get("last_modified_date") or known.get("updated_at"),
        speaker=known.get("role"),
    )
