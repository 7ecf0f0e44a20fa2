"""LangGraph checkpoints in SQLite: messages added, replaced and removed over several steps of two threads."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver

from tests.memory_eval.adapters.snapshots.generators.facts import ADDED, GONE, LIVE


def main(folder: Path) -> None:
    """Fill `folder/checkpoints.sqlite`."""
    with SqliteSaver.from_conn_string(str(folder / "checkpoints.sqlite")) as saver:
        saver.setup()
        first = [HumanMessage(text, id=f"m{number}") for number, text in enumerate(ADDED)]
        last = [HumanMessage(text, id=f"n{number}") for number, text in enumerate(LIVE)]
        last.append(AIMessage("I keep that in mind.", id="answer"))
        place: Any = {"configurable": {"thread_id": "ada", "checkpoint_ns": ""}}
        for step, messages in enumerate((first, last)):
            checkpoint = empty_checkpoint()
            checkpoint["channel_values"] = {"messages": messages, "step": step}
            checkpoint["channel_versions"] = {"messages": step + 1, "step": step + 1}
            place = saver.put(place, checkpoint, {"source": "loop", "step": step}, {"messages": step + 1})
        saver.put_writes(place, [("messages", [HumanMessage("A pending write.", id="w")])], "task-1")
        assert not set(LIVE) & set(GONE)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
