"""What the Action spends before it validates: its packages from the index, and again from its wheelhouse.

make bench PYTEST_ARGS="-k action_install"
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

SCRIPTS = Path(__file__).resolve().parents[2] / ".github/action"


@pytest.mark.bench
@pytest.mark.timeout(600)
def test_the_action_installs_itself(tmp_path: Path) -> None:
    table = Table("mode", "packages from", "prepare s", "install s", "wheels MB", "installed MB")
    for mode in ("validate", "tools"):
        for source in ("the index", "the wheelhouse", "the wheelhouse"):
            table.add_row(mode, source, *_row(tmp_path, tmp_path / f"wheelhouse-{mode}", source, mode))
    Console(width=100).print(table)


def _row(temp: Path, wheels: Path, source: str, mode: str) -> list[str]:
    output = temp / "output"
    output.write_text("")
    env = {**os.environ, "RUNNER_TEMP": str(temp), "RUNNER_OS": "Linux", "GITHUB_OUTPUT": str(output)}
    env["ASSAY_ACTION_MODE"] = mode
    began = time.monotonic()
    subprocess.run(["bash", str(SCRIPTS / "prepare.sh")], env=env, check=True)
    prepared_s = time.monotonic() - began
    told = _outputs(output)
    env |= {"ASSAY_ACTION_HOUSE": told["house"], "ASSAY_ACTION_PYTHON": told["python"]}
    began = time.monotonic()
    env["ASSAY_ACTION_WHEELHOUSE"] = str(wheels)
    subprocess.run(["bash", str(SCRIPTS / "install.sh")], env=env, check=True)
    installed_s = time.monotonic() - began
    told = _outputs(output)
    assert ("fetched" in told) == (source == "the index")
    assay = told["assay"]
    subprocess.run([assay, "--version"], check=True)
    house = Path(assay).parents[2]
    installed = _megabytes(house / "env") + _megabytes(house / "env-sast")
    return [f"{prepared_s:.1f}", f"{installed_s:.1f}", f"{_megabytes(wheels):.0f}", f"{installed:.0f}"]


def _outputs(path: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in path.read_text().splitlines())


def _megabytes(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
