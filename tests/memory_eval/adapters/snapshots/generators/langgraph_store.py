"""A LangGraph SqliteStore: values put, replaced, deleted, and one expired."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

from langgraph.store.sqlite import SqliteStore

from tests.memory_eval.adapters.snapshots.generators.facts import ADDED, CHANGED, DELETED

EXPIRED = "Ada Lund is on leave this week."


def main(folder: Path) -> None:
    """Fill `folder/store.sqlite`."""
    with SqliteStore.from_conn_string(str(folder / "store.sqlite")) as store:
        store.setup()
        keys = {text: f"fact-{number}" for number, text in enumerate(ADDED)}
        for text, key in keys.items():
            store.put(("memories", "ada"), key, {"text": text, "kind": "fact"})
        for old, new in CHANGED:
            store.put(("memories", "ada"), keys[old], {"text": new, "kind": "fact"})
        for text in DELETED:
            store.delete(("memories", "ada"), keys[text])
        store.put(("memories", "ada"), "leave", {"text": EXPIRED}, ttl=1)
        store.put(("profile",), "ada", {"name": "Ada Lund", "languages": ["Norwegian", "English"]})
    with sqlite3.connect(folder / "store.sqlite") as database:
        # A time to live counts minutes; the fixture must not wait for it.
        database.execute("UPDATE store SET expires_at = '2025-01-01 00:00:00' WHERE key = 'leave'")
    database.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
