"""The systems themselves write stores again, at the versions the documents name and at the newest (`make soak`)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.memory_eval.adapters.snapshots.opening import open_snapshot
from tests.conftest import ROOT
from tests.memory_eval.adapters.snapshots.generators.facts import GONE, LIVE

PACKAGES = {
    "chroma": ("chromadb==1.5.9", "opentelemetry-api"),
    "mem0": ("mem0ai==2.2.1",),
    "langgraph_store": ("langgraph-checkpoint-sqlite==3.1.2",),
}
MOST_SECONDS = 900


def newest(packages: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.partition("==")[0] for name in packages)


def interpreter(folder: Path, packages: tuple[str, ...]) -> str:
    """An environment with the packages, or a skip that says why there is none."""
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
    python = interpreter(tmp_path, packages if when == "tried" else newest(packages))
    store = tmp_path / "store"
    store.mkdir()
    command = [python, "-m", f"tests.memory_eval.adapters.snapshots.generators.{name}", str(store)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    snapshot = open_snapshot(store)
    live = {entry.text for entry in snapshot.live}
    assert set(LIVE) <= live
    assert live & set(GONE) == set()
