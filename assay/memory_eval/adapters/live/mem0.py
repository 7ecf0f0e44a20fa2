"""mem0 on local Qdrant, without a model: `infer=False` writes turns as they are, with own vectors."""

from __future__ import annotations

import os
from typing import Any

from assay.memory_eval.adapters.live.embedder import EMBEDDER, SIZE, embedded
from assay.memory_eval.adapters.live.store import Store, found, library

USER = "assay"


class Mem0Store(Store):
    """One user's memories."""

    package = "mem0ai"
    embedder = EMBEDDER

    def open(self) -> None:
        # mem0 reads these when it is imported; the key is demanded even though no model is called.
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(self.folder / "home")}
        os.environ.setdefault("OPENAI_API_KEY", "unused")
        store = {"collection_name": "memories", "path": str(self.folder / "qdrant"), "embedding_model_dims": SIZE}
        self._memory = library("mem0", self.package).Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": {**store, "on_disk": True}},
                "history_db_path": str(self.folder / "history.db"),
            }
        )
        self._memory.embedding_model = _Embedder()

    def remember(self, turn: str) -> None:
        message = {"role": "user", "content": turn}
        self._memory.add([message], user_id=USER, infer=False, metadata={"turn": self.next_number()})

    def search(self, question: str, k: int) -> list[dict[str, Any]]:
        rows = self._memory.search(question, filters={"user_id": USER}, top_k=k, threshold=0.0)["results"]
        return [found(row["memory"], row["metadata"]["turn"], row.get("score")) for row in rows]

    def num_entries(self) -> int:
        store = self._memory.vector_store
        return int(store.client.count(store.collection_name).count)

    def shut(self) -> None:
        self._memory.close()
        self._memory.vector_store.client.close()


class _Embedder:
    def embed(self, text: str, *_: Any) -> list[float]:
        return embedded(text)

    def embed_batch(self, texts: list[str], *_: Any) -> list[list[float]]:
        return [embedded(text) for text in texts]
