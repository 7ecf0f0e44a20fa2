"""The Model Context Protocol's own memory server, driven by the protocol's own client."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters, stdio_client

from tests.conftest import ROOT

SERVER = ROOT / "tests/fakes/node/node_modules/@modelcontextprotocol/server-memory/dist/index.js"


def remember(memory: Path, calls: list[tuple[str, dict[str, Any]]]) -> None:
    """Have the server take these (tool, arguments) calls and leave its file at `memory`."""
    anyio.run(_calls, memory, calls)


async def _calls(memory: Path, calls: list[tuple[str, dict[str, Any]]]) -> None:
    node = shutil.which("node")
    assert node
    server = StdioServerParameters(command=node, args=[str(SERVER)], env={"MEMORY_FILE_PATH": str(memory)})
    with (memory.parent / "server.stderr").open("w") as heard:
        async with stdio_client(server, errlog=heard) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            for tool, arguments in calls:
                result: Any = await session.call_tool(tool, arguments)
                assert not result.is_error, result
