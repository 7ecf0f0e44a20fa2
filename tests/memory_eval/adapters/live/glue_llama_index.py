"""LlamaIndex as a store in ten lines: an index over own vectors, and its retriever."""

from __future__ import annotations

from importlib.metadata import version

from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.schema import TextNode

from assay.memory_eval.adapters.live.embedder import EMBEDDER, SIZE, embedded


class LlamaIndexStore:
    def __init__(self, storage_path=None):
        self.folder = storage_path
        self.reset()

    def reset(self):
        self.index, self.num = VectorStoreIndex([], embed_model=Hashing(embed_dim=SIZE)), 0

    def remember(self, turn):
        self.num += 1
        self.index.insert_nodes([TextNode(text=turn, id_=f"turn {self.num}")])

    def search(self, question, k):
        found = self.index.as_retriever(similarity_top_k=k).retrieve(question)
        return [{"text": one.text, "id": one.node_id, "score": one.score} for one in found]

    def stats(self):
        system = f"llama-index-core {version('llama-index-core')}, VectorStoreIndex"
        return {"entries": self.num, "system": system, "embedder": EMBEDDER}

    def close(self):
        if self.folder:
            self.index.storage_context.persist(self.folder)


class Hashing(MockEmbedding):  # type: ignore[misc] # the library is not installed where types are checked
    """The embedding that LlamaIndex has for tests, with vectors that depend on the text."""

    def _get_query_embedding(self, query):
        return embedded(query)

    def _get_text_embedding(self, text):
        return embedded(text)
