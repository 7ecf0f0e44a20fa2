"""A session of the OpenAI Agents SDK in SQLite: items added, popped, and replaced."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path

from agents import SQLiteSession

from tests.memory_eval.adapters.snapshots.generators.facts import CHANGED, DELETED, KEPT


async def _fill(path: Path) -> None:
    session = SQLiteSession("ada", path)
    await session.add_items([{"role": "user", "content": text} for text in KEPT])
    await session.add_items(
        [
            {
                "type": "message",
                "role": "assistant",
                "id": "msg_1",
                "status": "completed",
                "content": [{"type": "output_text", "text": "I keep that in mind.", "annotations": []}],
            },
            {"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": "{}"},
        ]
    )
    for text in DELETED:
        await session.add_items([{"role": "user", "content": text}])
        await session.pop_item()
    for old, new in CHANGED:
        await session.add_items([{"role": "user", "content": old}])
        await session.pop_item()
        await session.add_items([{"role": "user", "content": new}])
    # As a killed process leaves it: the newest rows, and deleted ones, only in the log.
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", path.with_name(f"open.db{suffix}"))
    session.close()


def main(folder: Path) -> None:
    """Fill `folder/sessions.db`, and `folder/open.db` with its log."""
    asyncio.run(_fill(folder / "sessions.db"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
