"""A small memory server with the official SDK, in several forms of result: for tests of the adapter `mcp`.

python -m tests.memory_eval.adapters.live.mcp_notes_server [FILE | --http PORT]
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server: MCPServer = MCPServer("notes", version="1.2.3", log_level="ERROR")
notes: list[str] = []
file = Path(sys.argv[1]) if len(sys.argv) == 2 else None


@server.tool()
def save(text: str, number: int = 0) -> str:
    """Keep one note."""
    if "unspeakable" in text:
        raise ToolError("this cannot be kept")
    if "die now" in text:
        os._exit(7)
    notes.append(f"{number}: {text}" if number else text)
    if file:
        file.write_text(json.dumps(notes))
    return "saved"


@server.tool()
def find(query: str, k: int) -> dict[str, list[dict[str, object]]]:
    """Return the notes that share most words with the query."""
    return {"hits": [{"name": f"turn {place + 1}", "lines": [notes[place]]} for place in _best(query)[:k]]}


@server.tool()
def find_exact(query: str) -> dict[str, list[str]]:
    """Return the notes that contain the query."""
    return {"found": [note for note in notes if query.casefold() in note.casefold()]}


@server.tool()
def find_prose(query: str) -> str:
    """Return the notes as a numbered list in prose."""
    return "Found:\n" + "".join(f"{place}. {notes[place]}\n   Key: turn-{place + 1}\n" for place in _best(query))


@server.tool()
def wipe() -> str:
    """Forget everything."""
    notes.clear()
    return "gone"


def _best(query: str) -> list[int]:
    words = set(re.findall(r"\w+", query.casefold()))
    shared = {place: len(words & set(re.findall(r"\w+", note.casefold()))) for place, note in enumerate(notes)}
    return sorted((place for place in shared if shared[place]), key=lambda place: -shared[place])


if __name__ == "__main__":
    if file and file.exists():
        notes.extend(json.loads(file.read_text()))
    if sys.argv[1:2] == ["--http"]:
        anyio.run(lambda: server.run_streamable_http_async(port=int(sys.argv[2])))
    else:
        anyio.run(server.run_stdio_async)
