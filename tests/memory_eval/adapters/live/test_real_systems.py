"""Each real memory system examined live, at the versions that this file names (`make soak`)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from assay.memory_eval import AgentOptions, EvalReport, EvalRunner, agent_from
from assay.memory_eval.adapters.extracting.reader import READER
from tests.conftest import ROOT
from tests.memory_eval.adapters.live.hash_embedder import SIZE
from tests.memory_eval.adapters.live.letta_server import PACKAGES as LETTA
from tests.memory_eval.adapters.live.letta_server import letta_server
from tests.memory_eval.adapters.live.systems import EXTENDED, environment, installed, memory_service
from tests.ports import free_port

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


def test_mem0_is_examined_with_its_own_configuration(tmp_path: Path):
    port = free_port()
    command = [sys.executable, "-m", "tests.memory_eval.adapters.live.embedding_server", str(port)]
    server = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL)
    embedder = {"model": "assay-hash", "embedding_dims": SIZE, "openai_base_url": f"http://127.0.0.1:{port}/v1"}
    store = {"path": "{folder}/qdrant", "embedding_model_dims": SIZE, "on_disk": True}
    config = {
        "embedder": {"provider": "openai", "config": embedder},
        "vector_store": {"provider": "qdrant", "config": store},
    }
    (tmp_path / "mem0.yaml").write_text(yaml.safe_dump(config))
    try:
        report = examined(f"mem0:{tmp_path / 'mem0.yaml'}", [installed(tmp_path / "mem0", "mem0ai==2.2.1")])
    finally:
        server.kill()
        server.wait()
    assert report.system == "mem0ai 2.2.1, turns verbatim"
    assert report.memory_row("found")["value"] > 0.5


def test_langgraph_is_examined(tmp_path: Path):
    packages = "langgraph-checkpoint-sqlite==3.1.2", "langgraph-checkpoint==4.3.2", "numpy"
    report = examined("langgraph", [installed(tmp_path / "langgraph", *packages)])
    assert report.system.startswith("langgraph-checkpoint-sqlite 3.1.2, ")
    assert report.system.endswith("Store without an index")


def test_a_letta_server_is_examined(tmp_path: Path):
    client = installed(tmp_path / "client", "letta-client==1.12.1")
    home = tmp_path / "home"
    home.mkdir()
    with letta_server(environment(tmp_path / "server", LETTA), home) as url:
        report = examined("letta", [client], url)
    assert report.system == "letta 0.11.7, letta-client 1.12.1"
    assert report.memory_row("found")["value"] > 0.5


def test_the_memory_service_is_examined(tmp_path: Path):
    if not Path(EXTENDED).exists():
        pytest.skip(f"no {EXTENDED}")
    report = examined(memory_service(tmp_path))
    assert report.system == "memory 12.4.0"
    assert report.memory_row("found")["value"] > 0.2
