"""Letta: archival passages of a new agent on a Letta server, written and searched by its HTTP client, without a model.

The server embeds: the first of its embedding models is used, one of Letta's service (`letta/…`) only if it is alone.
"""

from __future__ import annotations

import contextlib
import os
from importlib import metadata
from typing import Any

from assay.memory_eval.adapters.live.store import Store, found, library

NAME = "assay-examination"


class LettaStore(Store):
    """Passages of an agent that a reset deletes; `LETTA_API_KEY` is sent if it is passed on."""

    package = "letta-client"
    persistent = False

    def __init__(self, storage_path: str, url: str) -> None:
        self._url = url
        super().__init__(storage_path)

    def open(self) -> None:
        client = library("letta_client", self.package).Letta
        self._client = client(base_url=self._url, api_key=os.environ.get("LETTA_API_KEY"))
        embedders = sorted(self._client.models.embeddings.list(), key=lambda one: one.handle.startswith("letta/"))
        models = self._client.models.list()
        self.embedder = embedders[0].handle
        self._agent = self._client.agents.create(
            name=NAME, model=models[0].handle, embedding=self.embedder, include_base_tools=False
        ).id

    def remember(self, turn: str) -> None:
        self._client.agents.passages.create(self._agent, text=turn, tags=[f"turn-{self.next_number()}"])

    def search(self, question: str, k: int) -> list[dict[str, Any]]:
        rows = self._client.agents.passages.search(self._agent, query=question, top_k=k).results
        return [found(row.content, row.tags[0].removeprefix("turn-")) for row in rows]

    def shut(self) -> None:
        with contextlib.suppress(Exception):  # the server may be gone; nothing is left to release then
            self._client.agents.delete(self._agent)

    def system(self) -> str:
        return f"letta {self._client.health().version}, letta-client {metadata.version(self.package)}"
