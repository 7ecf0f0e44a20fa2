"""Chroma: a persistent collection with own vectors; Chroma's default embedder would download a model."""

from __future__ import annotations

from typing import Any

from assay.memory_eval.adapters.live.embedder import EMBEDDER, embedded
from assay.memory_eval.adapters.live.store import Store, found, library


class ChromaStore(Store):
    """Collection `turns`, by cosine distance."""

    package = "chromadb"
    embedder = EMBEDDER

    def open(self) -> None:
        chromadb = library("chromadb", self.package)
        settings = library("chromadb.config", self.package).Settings(anonymized_telemetry=False)
        self._client = chromadb.PersistentClient(str(self.folder), settings=settings)
        self._turns = self._client.get_or_create_collection(
            "turns", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def remember(self, turn: str) -> None:
        number = self.next_number()
        self._turns.add(
            ids=[f"turn-{number}"], documents=[turn], embeddings=[embedded(turn)], metadatas=[{"turn": number}]
        )

    def search(self, question: str, k: int) -> list[dict[str, Any]]:
        if not (held := self._turns.count()):
            return []
        rows = self._turns.query(query_embeddings=[embedded(question)], n_results=min(k, held))
        columns = (rows[name][0] for name in ("documents", "metadatas", "distances"))
        return [found(text, of["turn"], 1 - distance) for text, of, distance in zip(*columns, strict=True)]

    def num_entries(self) -> int:
        return int(self._turns.count())

    def shut(self) -> None:
        self._client.close()
