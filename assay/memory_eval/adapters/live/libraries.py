"""Memory libraries as they are: each is opened with the user's own configuration, which is passed through.

Without a model, mem0 stores turns verbatim; then its retrieval is evaluated and not its extraction, as `system` says.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from typing import Any

from assay.memory_eval.adapters.live.mcp_store import filled
from assay.memory_eval.adapters.live.store import Store, found, library

USER = "assay-evaluation"
NO_KEY = "unused"


class Configured(Store):
    """Store of a library; `config` is the user's, with `{folder}` filled."""

    def __init__(self, storage_path: str, config: dict[str, Any]) -> None:
        self._config = filled(config, {"folder": storage_path})
        super().__init__(storage_path)


class Mem0(Configured):
    """One user's memories; `config` is that of `Memory.from_config`, and `infer: false` stores turns verbatim."""

    package, needed = "mem0ai", ">=2,<3"

    def open(self) -> None:
        # mem0 reads these when it is imported; it demands a key even if no model is called.
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(self.folder / "home")}
        has_key = os.environ.setdefault("OPENAI_API_KEY", NO_KEY) != NO_KEY
        config = dict(self._config)
        self._infer = bool(config.pop("infer", "llm" in config or has_key))
        store = {"path": str(self.folder / "qdrant"), "on_disk": True}
        own = {
            "vector_store": {"provider": "qdrant", "config": store},
            "history_db_path": str(self.folder / "history.db"),
        }
        self._memory = library(self, "mem0").Memory.from_config(own | config)

    def remember(self, turn: str) -> None:
        message = {"role": "user", "content": turn}
        self._memory.add([message], user_id=USER, infer=self._infer, metadata={"turn": self.next_number()})

    def search(self, question: str, k: int) -> list[dict[str, Any]]:
        rows = self._memory.search(question, filters={"user_id": USER}, top_k=k, threshold=0.0)["results"]
        return [found(row["memory"], row["metadata"]["turn"], row.get("score")) for row in rows]

    def reset(self) -> None:
        self._memory.delete_all(user_id=USER)
        super().reset()

    def shut(self) -> None:
        self._memory.close()
        if callable(close := getattr(getattr(self._memory.vector_store, "client", None), "close", None)):
            close()

    def system(self) -> str:
        return f"{super().system()}, {'extracting by its model' if self._infer else 'turns verbatim'}"


class LangGraph(Configured):
    """Items of a `SqliteStore`; `config` is its `index`, as in langgraph.json.

    The index needs an SQLite that loads extensions; where Python's does not, an `InMemoryStore` is used.
    """

    package, needed = "langgraph-checkpoint-sqlite", ">=3,<4"
    persistent = hasattr(sqlite3.Connection, "enable_load_extension")
    _namespace = ("memories", USER)

    def open(self) -> None:
        self._open = contextlib.ExitStack()
        index: Any = {"fields": ["text"], **self._config} if self._config else None
        if self.persistent:
            sqlite = library(self, "langgraph.store.sqlite")
            path = str(self.folder / "store.sqlite")
            self._store = self._open.enter_context(sqlite.SqliteStore.from_conn_string(path, index=index))
            self._store.setup()
        else:
            self._store = library(self, "langgraph.store.memory").InMemoryStore(index=index)

    def remember(self, turn: str) -> None:
        number = self.next_number()
        self._store.put(self._namespace, f"turn-{number}", {"text": turn, "turn": number})

    def search(self, question: str, k: int) -> list[dict[str, Any]]:
        items = self._store.search(self._namespace, query=question, limit=k)
        return [found(item.value["text"], item.value["turn"], item.score) for item in items]

    def shut(self) -> None:
        self._open.close()

    def system(self) -> str:
        return f"{super().system()}, {type(self._store).__name__}{'' if self._config else ' without an index'}"


class Letta(Configured):
    """Archival passages of a new agent on a server; `config` are the keywords of `agents.create`.

    The server embeds. `LETTA_API_KEY` is sent if it is passed on; the agent is deleted afterwards.
    """

    package, needed = "letta-client", ">=1,<2"
    persistent = False

    def __init__(self, storage_path: str, config: dict[str, Any], url: str) -> None:
        self._url = url
        super().__init__(storage_path, config)

    def open(self) -> None:
        client = library(self, "letta_client").Letta
        self._client = client(base_url=self._url, api_key=os.environ.get("LETTA_API_KEY"))
        own: dict[str, Any] = {"name": USER, "include_base_tools": False}
        if "embedding" not in self._config:
            own["embedding"] = self._client.models.embeddings.list()[0].handle
        if "model" not in self._config:
            own["model"] = self._client.models.list()[0].handle
        self.embedder = str(self._config.get("embedding") or own["embedding"])
        self._agent = self._client.agents.create(**(own | self._config)).id

    def remember(self, turn: str) -> None:
        self._client.agents.passages.create(self._agent, text=turn, tags=[f"turn-{self.next_number()}"])

    def search(self, question: str, k: int) -> list[dict[str, Any]]:
        rows = self._client.agents.passages.search(self._agent, query=question, top_k=k).results
        return [found(row.content, row.tags[0].removeprefix("turn-")) for row in rows]

    def shut(self) -> None:
        with contextlib.suppress(Exception):  # the server may be gone; nothing is left to release then
            self._client.agents.delete(self._agent)

    def system(self) -> str:
        return f"letta {self._client.health().version}, {super().system()}"


LIBRARIES: dict[str, type[Configured]] = {"langgraph": LangGraph, "letta": Letta, "mem0": Mem0}
"""Libraries by adapter name."""
