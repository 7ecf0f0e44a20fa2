"""LangGraph's store: `put` and `search`."""

from __future__ import annotations

from typing import Any

from assay.memory_eval.adapters.live.graph_store import PLACE, GraphStore
from assay.memory_eval.adapters.live.store import found


class LangGraphStore(GraphStore):
    """Items that hold a turn and its number."""

    def remember(self, turn: str) -> None:
        number = self.next_number()
        self.store.put(PLACE, f"turn-{number}", {self.field: turn, "turn": number})

    def search(self, question: str, k: int) -> list[dict[str, Any]]:
        return [
            found(item.value[self.field], item.value["turn"], item.score)
            for item in self.store.search(PLACE, query=question, limit=k)
        ]
