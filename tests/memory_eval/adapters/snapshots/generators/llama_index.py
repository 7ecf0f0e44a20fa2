"""A LlamaIndex document store: documents added, replaced and deleted, then persisted."""

from __future__ import annotations

import sys
from pathlib import Path

from llama_index.core.schema import TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore

from tests.memory_eval.adapters.snapshots.generators.facts import ADDED, CHANGED, DELETED


def main(folder: Path) -> None:
    """Write `folder/docstore.json`."""
    store = SimpleDocumentStore()
    ids = {text: f"node-{number}" for number, text in enumerate(ADDED)}
    for text, id_ in ids.items():
        store.add_documents([TextNode(text=text, id_=id_, metadata={"user": "ada"})])
    for old, new in CHANGED:
        store.add_documents([TextNode(text=new, id_=ids[old], metadata={"user": "ada"})], allow_update=True)
    for text in DELETED:
        store.delete_document(ids[text])
    store.persist(str(folder / "docstore.json"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
