"""langmem: its tools `manage_memory` and `search_memory`, called as an agent would, on a LangGraph store.

langmem's memory manager extracts memories by a model and is not called.
"""

from __future__ import annotations

import json
from datetime import datetime
from importlib import metadata
from typing import Any

from assay.memory_eval.adapters.live.graph_store import PLACE, GraphStore
from assay.memory_eval.adapters.live.store import found, library


class LangMemStore(GraphStore):
    """Memories that the tools write and find."""

    field = "content"

    def open(self) -> None:
        super().open()
        tools = library("langmem", "langmem")
        self._manage = tools.create_manage_memory_tool(namespace=PLACE, store=self.store)
        self._search = tools.create_search_memory_tool(namespace=PLACE, store=self.store)

    def remember(self, turn: str) -> None:
        self._manage.invoke({"content": turn})

    def search(self, question: str, k: int) -> list[dict[str, Any]]:
        rows = json.loads(self._search.invoke({"query": question, "limit": k}))
        return [found(row["value"][self.field], self._number_of(row), row.get("score")) for row in rows]

    def system(self) -> str:
        return f"langmem {metadata.version('langmem')}, {super().system()}"

    def _number_of(self, row: dict[str, Any]) -> int:
        if not self.persistent:
            return int(datetime.fromisoformat(row["created_at"]).timestamp() * 1_000_000)
        # A SqliteStore's times have a resolution of a second; its rows are numbered as they were written.
        return int(self.store.conn.execute("SELECT rowid FROM store WHERE key = ?", (row["key"],)).fetchone()[0])
