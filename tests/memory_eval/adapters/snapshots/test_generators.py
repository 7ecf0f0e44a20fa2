"""The systems themselves write stores again, at the versions the documents name and at the newest (`make soak`)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from tests.conftest import ROOT
from tests.memory_eval.adapters.snapshots.generators.facts import CHANGED, GONE, LIVE

PACKAGES = {
    "chroma": ("chromadb==1.5.9", "opentelemetry-api"),
    "mem0": ("mem0ai==2.2.1",),
    "langgraph_store": ("langgraph-checkpoint-sqlite==3.1.2",),
    "langgraph_checkpoints": ("langgraph-checkpoint-sqlite==3.1.2",),
    "openai_agents": ("openai-agents==0.24.0",),
    "llama_index": ("llama-index-core==0.14.25",),
    "letta": ("letta==0.11.7", "sqlite-vec"),
    "autogen": ("autogen-core==0.7.5",),
    "graphiti": ("graphiti-core[kuzu]==0.31.2", "httpx"),
    "pg_dump": (),
}
MOST_SECONDS = 900


def newest(packages: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.partition("==")[0] for name in packages)


def interpreter(folder: Path, packages: tuple[str, ...]) -> str:
    """An environment with the packages, or a skip that says why there is none."""
    if not packages:
        return sys.executable
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    python = folder / "venv/bin/python"
    for command in (
        [uv, "venv", "--quiet", "--python", sys.executable, str(folder / "venv")],
        [uv, "pip", "install", "--quiet", "--python", str(python), *packages],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MOST_SECONDS)
        if done.returncode:
            pytest.skip(f"not installable here: {' '.join(packages)}: {done.stderr.strip()[-200:]}")
    return str(python)


@pytest.mark.soak
@pytest.mark.timeout(MOST_SECONDS + 300)
@pytest.mark.parametrize("when", ["tried", "newest"])
@pytest.mark.parametrize("name", PACKAGES)
def test_a_store_written_now_is_read_completely(name: str, when: str, tmp_path: Path):
    packages = PACKAGES[name]
    if when == "newest" and (not packages or name == "letta"):
        pytest.skip("no newer version: the package is another program now" if packages else "the dev environment's own")
    python = interpreter(tmp_path, packages if when == "tried" else newest(packages))
    store = tmp_path / "store"
    store.mkdir()
    command = [python, "-m", f"tests.memory_eval.adapters.snapshots.generators.{name}", str(store)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    if name == "graphiti":
        read_by_kuzu(python, store / "graph.kuzu", environment)
    snapshot = open_snapshot(store / "export.json" if name == "graphiti" else store)
    live = {entry.text for entry in snapshot.live}
    assert set(LIVE) <= live
    assert live & set(GONE) == set()


READ = """
import json, sys
from pathlib import Path
from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from assay.memory_eval.errors import WorldUnreadable
try:
    print(json.dumps([[entry.state, entry.text] for entry in open_snapshot(Path(sys.argv[1])).entries]))
except WorldUnreadable as error:
    print(json.dumps({"code": error.code}))
"""


def read_by_kuzu(python: str, graph: Path, environment: dict[str, str]) -> None:
    """Read the database in the environment that has kuzu, whole and damaged."""

    def read() -> Any:
        done = subprocess.run(
            [python, "-c", READ, str(graph)], env=environment, capture_output=True, text=True, check=True, timeout=300
        )
        return json.loads(done.stdout)

    entries = read()
    assert set(LIVE) <= {text for state, text in entries if state == "live"}
    assert {text for state, text in entries if state == "history"} == {old for old, _ in CHANGED}
    whole = graph.read_bytes()
    for number in range(20):
        damaged = bytearray(whole)
        for place in range(number * 97, len(damaged), 40_000 + number * 1_003):
            damaged[place] ^= 0xFF
        damaged[:4] = b"KUZU"
        graph.write_bytes(damaged if number % 2 else damaged[: len(damaged) * number // 20])
        found = read()
        assert isinstance(found, list) or found["code"] in (
            "snapshot.damaged",
            "snapshot.unknown-version",
            "snapshot.empty",
        )
    graph.write_bytes(whole)
