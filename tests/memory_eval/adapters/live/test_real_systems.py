"""Each real memory system examined live, at the versions that this file names (`make soak`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from assay.memory_eval import AgentOptions, EvalReport, EvalRunner, agent_from
from assay.memory_eval.adapters.extracting.answering import READER
from assay.memory_eval.adapters.live.embedder import EMBEDDER
from tests.memory_eval.adapters.live.letta_server import PACKAGES as LETTA
from tests.memory_eval.adapters.live.letta_server import letta_server
from tests.memory_eval.adapters.live.systems import (
    EXTENDED,
    GLUE,
    SYSTEMS,
    environment,
    installed,
    memory_service,
)

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1200)]


def examined(adapter: str, python_path: Sequence[Path] = (), url: str | None = None) -> EvalReport:
    agent = agent_from(adapter, AgentOptions(python_path=tuple(python_path), url=url))
    try:
        report = EvalRunner(num_turns=60, num_questions=20, seed=1).run(agent)
    finally:
        agent.close()
    assert report.valid, report.why_invalid
    assert report.reader == READER
    assert report.notes == []
    return report


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_library_is_examined_in_the_agents_process(name: str, tmp_path: Path):
    system = SYSTEMS[name]
    report = examined(system.arguments[1], [installed(tmp_path / name, system.packages), GLUE])
    pinned = dict(package.split("==") for package in system.packages if "==" in package)
    assert any(f"{package} {version}" in report.system for package, version in pinned.items()), report.system
    if name == "openai-agents":  # it has no search, and returns what came last
        assert report.memory_row("found")["value"] == pytest.approx(1 / 3, abs=0.25)
        return
    assert report.embedder == EMBEDDER
    assert report.memory_row("found")["value"] > 0.5


def test_a_letta_server_is_examined(tmp_path: Path):
    client = installed(tmp_path / "client", ("letta-client==1.12.1",))
    home = tmp_path / "home"
    home.mkdir()
    with letta_server(environment(tmp_path / "server", LETTA), home) as url:
        report = examined("letta", [client], url)
    assert (report.system, report.embedder) == ("letta 0.11.7, letta-client 1.12.1", "lmstudio_openai/assay-hash")
    assert report.memory_row("found")["value"] > 0.5


def test_the_memory_service_is_examined(tmp_path: Path):
    if not Path(EXTENDED).exists():
        pytest.skip(f"no {EXTENDED}")
    report = examined(memory_service(tmp_path)[1])
    assert report.system == "memory 12.4.0"
    assert report.memory_row("found")["value"] > 0.2
