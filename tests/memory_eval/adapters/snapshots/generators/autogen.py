"""AutoGen: a dumped `ListMemory`, and the saved state of a chat context."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from autogen_core.memory import ListMemory, MemoryContent, MemoryMimeType
from autogen_core.model_context import UnboundedChatCompletionContext
from autogen_core.models import AssistantMessage, UserMessage

from tests.memory_eval.adapters.snapshots.generators.facts import ADDED, LIVE


async def _fill(folder: Path) -> None:
    memory = ListMemory(name="facts")
    for text in ADDED:
        await memory.add(MemoryContent(content=text, mime_type=MemoryMimeType.TEXT, metadata={"user": "ada"}))
    await memory.clear()  # a list memory replaces and deletes nothing else
    for text in LIVE:
        await memory.add(MemoryContent(content=text, mime_type=MemoryMimeType.TEXT, metadata={"user": "ada"}))
    folder.joinpath("memory.json").write_text(memory.dump_component().model_dump_json(), "utf-8")
    context = UnboundedChatCompletionContext()
    for text in LIVE:
        await context.add_message(UserMessage(content=text, source="ada"))
    await context.add_message(AssistantMessage(content="I keep that in mind.", source="assistant"))
    folder.joinpath("state.json").write_text(json.dumps(await context.save_state()), "utf-8")


def main(folder: Path) -> None:
    """Write `folder/memory.json` and `folder/state.json`."""
    asyncio.run(_fill(folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
