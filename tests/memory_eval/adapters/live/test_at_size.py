"""Stores at size: 1,000 turns through the real system, then its files examined as a snapshot (`make soak`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from assay.memory_eval import AgentOptions, agent_from, generate_dialogue
from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from assay.memory_eval.holding.matcher import Matcher
from assay.memory_eval.holding.measuring import measured_store
from assay.memory_eval.holding.stored import stored_of
from assay.memory_eval.holding.told import told_of
from tests.conftest import ROOT
from tests.memory_eval.adapters.live.fill import MADE_BY
from tests.memory_eval.adapters.live.systems import EXTENDED, SYSTEMS, environment, server_memory

NUM_TURNS = 1000
LEAST_RECALL = 0.97
MOST_SECONDS = 1500
HEAD = f"{'store':<14} {'entries':>8} {'recall':>7} {'write s':>8} {'read s':>7} {'MiB':>6}  system"


@pytest.mark.soak
@pytest.mark.timeout(MOST_SECONDS)
@pytest.mark.parametrize("name", [*MADE_BY, "server-memory"])
def test_a_perfect_write_is_read_back_whole(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    told = told_of(generate_dialogue(num_turns=NUM_TURNS, seed=42).turns)
    turns = [turn.content for turn in told.turns]
    folder = tmp_path / "store"
    figures = _through_server(folder, turns) if name == "server-memory" else _filled(name, folder, turns)
    num_bytes = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    began_s = time.monotonic()
    snapshot = open_snapshot(folder)
    read_s = time.monotonic() - began_s
    held = measured_store(Matcher(told), stored_of(snapshot.entries)).held
    recall = sum(held) / len(held)
    with capsys.disabled():
        row = f"{name:<14} {len(snapshot.live):>8,} {recall:>7.3f} {figures['seconds']:>8.1f} {read_s:>7.2f}"
        print(f"\n{HEAD}\n{row} {num_bytes / 2**20:>6.1f}  {figures['system']}, read as {snapshot.format}")
    assert recall >= LEAST_RECALL
    assert len(snapshot.live) >= NUM_TURNS


def _filled(name: str, folder: Path, turns: list[str]) -> dict[str, Any]:
    """Fill a store in an environment of its own, by an interpreter whose SQLite loads extensions if one is needed."""
    needs_extensions = name in ("langgraph", "langmem")
    if needs_extensions and not Path(EXTENDED).exists():
        pytest.skip(f"no {EXTENDED}")
    python = environment(
        folder.parent / "venv", SYSTEMS[name].packages, EXTENDED if needs_extensions else sys.executable
    )
    file = folder.with_name("turns.json")
    file.write_text(json.dumps(turns), "utf-8")
    command = [python, "-m", "tests.memory_eval.adapters.live.fill", name, str(folder), str(file)]
    done = subprocess.run(
        command,
        cwd=folder.parent,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=False,
        timeout=MOST_SECONDS,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def _through_server(folder: Path, turns: list[str]) -> dict[str, Any]:
    agent = agent_from(server_memory(folder.parent)[1], AgentOptions(storage_path=folder))
    agent.reset()
    began_s = time.monotonic()
    for turn in turns:
        agent.learn(turn)
    figures = {"seconds": time.monotonic() - began_s, "system": agent.stats()["system"]}
    agent.close()
    return figures
