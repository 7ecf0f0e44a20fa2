"""The example agents of docs/memory/agents.md, as they stand there, examined."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.memory_eval import AgentOptions, EvalRunner, agent_from
from assay.memory_eval.adapters.naming import ADAPTERS
from assay.memory_eval.holding.examining import NO_RETRIEVE
from tests.conftest import ROOT
from tests.memory_eval.exams import small_exam

PAGE = (ROOT / "docs/memory/agents.md").read_text("utf-8")
EXAMPLES = dict(re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE, re.DOTALL))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, code in EXAMPLES.items():
        (tmp_path / name).write_text(code)
    return tmp_path


def scored(agent, **how) -> float | None:
    try:
        report = EvalRunner(world=small_exam(), **how).run(agent)
        assert report.valid, report.why_invalid
        assert report.notes in ([], [NO_RETRIEVE])
        return report.overall_score
    finally:
        agent.close()


def test_there_are_four_and_none_is_long():
    assert sorted(EXAMPLES) == ["agent_http.py", "agent_lines.py", "my_agent.py", "my_store.py"]
    assert all(len([line for line in code.splitlines() if line.strip()]) <= 22 for code in EXAMPLES.values())


def test_the_program_works(folder: Path):
    command = (sys.executable, str(folder / "agent_lines.py"))
    assert scored(agent_from("subprocess", AgentOptions(command=command))) == 1.0


def test_the_class_works_in_segments_too(folder: Path):
    assert scored(agent_from("python:my_agent:MyAgent", AgentOptions(python_path=folder)), segment_size=20) == 1.0


def test_the_store_works(folder: Path):
    assert scored(agent_from("store:my_store:MyStore", AgentOptions(python_path=folder))) == 1.0


def test_the_server_works(folder: Path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    program = folder / "agent_http.py"
    program.write_text(program.read_text().replace("8000", str(port)))
    server = subprocess.Popen([sys.executable, str(program)], stderr=subprocess.DEVNULL)
    try:
        _wait_for(port)
        assert scored(agent_from("http", AgentOptions(url=f"http://127.0.0.1:{port}"))) == 1.0
    finally:
        server.kill()
        server.wait()


def test_every_way_to_reach_an_agent_is_on_the_page():
    assert [name for name in ADAPTERS if f"`{name}" not in PAGE] == []


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.02)
    raise AssertionError("the server of the page did not start")
