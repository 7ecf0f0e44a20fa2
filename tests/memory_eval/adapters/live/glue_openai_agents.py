"""A session of the OpenAI Agents SDK as a store: it has no search and returns its newest messages."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from pathlib import Path

from agents import SQLiteSession


class SessionStore:
    def __init__(self, storage_path=None):
        if storage_path:
            Path(storage_path).mkdir(exist_ok=True)
        self.session = SQLiteSession("assay", f"{storage_path}/sessions.db" if storage_path else ":memory:")
        self.loop = asyncio.new_event_loop()
        self.num = 0

    def remember(self, turn):
        self.num += 1
        self.loop.run_until_complete(self.session.add_items([{"role": "user", "content": turn}]))

    def search(self, question, k):
        newest = self.loop.run_until_complete(self.session.get_items(limit=k))
        numbered = zip(range(self.num, 0, -1), reversed(newest), strict=False)
        return [{"text": one["content"], "id": f"turn {number}"} for number, one in numbered]

    def reset(self):
        self.loop.run_until_complete(self.session.clear_session())
        self.num = 0

    def close(self):
        self.session.close()

    def stats(self):
        return {"entries": self.num, "system": f"openai-agents {version('openai-agents')}, SQLiteSession"}
