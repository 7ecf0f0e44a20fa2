"""A mem0 memory on local Qdrant, without a model: `infer=False` and vectors made here."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

os.environ["MEM0_TELEMETRY"] = "False"
os.environ["MEM0_DIR"] = sys.argv[1] + "/home"
os.environ["OPENAI_API_KEY"] = "unused"

from mem0 import Memory

from tests.memory_eval.adapters.snapshots.generators.facts import ADDED, CHANGED, DELETED, vector

SIZE = 8


class _Embedder:
    def embed(self, text: str, memory_action: Any = None) -> list[float]:
        return vector(text, SIZE)

    def embed_batch(self, texts: list[str], memory_action: Any = None) -> list[list[float]]:
        return [vector(text, SIZE) for text in texts]


def main(folder: Path) -> None:
    """Fill `folder/qdrant` and `folder/history.db`."""
    memory = Memory.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "collection_name": "memories",
                    "path": str(folder / "qdrant"),
                    "embedding_model_dims": SIZE,
                    "on_disk": True,
                },
            },
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = _Embedder()
    ids: dict[str, str] = {}
    for text in ADDED:
        message = [{"role": "user", "content": text}]
        ids[text] = memory.add(message, user_id="ada", infer=False)["results"][0]["id"]
    for old, new in CHANGED:
        memory.update(ids[old], new)
    for text in DELETED:
        memory.delete(ids[text])
    memory.close()
    memory.vector_store.client.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
