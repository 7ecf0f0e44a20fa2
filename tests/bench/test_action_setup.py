"""What the Action spends before it validates, beside what it then does on this repository, and what it downloads.

make bench PYTEST_ARGS="-k action_setup"

`before` are wheels of the package index, installed as where there is no release; `cold` are archives of a release at an
address of this machine, `warm` the same from the runner's folder of tools.
"""

from __future__ import annotations

import functools
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from tests.bench.test_action_install import _megabytes, _outputs
from tests.conftest import ROOT

SCRIPTS = ROOT / ".github/action"
COMMITS = 5
MODES = ("tools", "publish")
MOST_MB_PER_PUSH = 50.0
MOST_COLD_S, MOST_WARM_S = 15.0, 5.0


@pytest.mark.bench
@pytest.mark.timeout(1800)
def test_the_action_sets_itself_up(tmp_path: Path) -> None:
    served = _served(_archives(tmp_path))
    unchecked = {}
    table = Table("mode", "packages", "set-up s", "downloaded MB", "judging s", "set-up : judging")
    megabytes = dict.fromkeys(("before", "cold", "warm"), 0.0)
    for mode in MODES:
        for kind in megabytes:
            setup_s, downloaded, assay = _set_up(tmp_path, mode, kind, served)
            megabytes[kind] += downloaded
            shown: tuple[str, ...] = ("", "")
            if mode == "publish":
                judged_s, unchecked[kind] = _judge(assay, tmp_path)
                shown = (f"{judged_s:.1f}", f"{setup_s / judged_s:.2f} : 1")
            table.add_row(mode, kind, f"{setup_s:.1f}", f"{downloaded:.1f}", *shown)
            if kind != "before":
                assert setup_s < (MOST_COLD_S if kind == "cold" else MOST_WARM_S)
    Console(width=100).print(table)
    per_push = ", ".join(f"{kind} {value:.0f}" for kind, value in megabytes.items())
    print(f"MB per push, both jobs: {per_push}; load {os.getloadavg()[0]:.1f}")
    assert unchecked["cold"] == unchecked["warm"] == unchecked["before"], "nothing is missing in the archives"
    assert megabytes["cold"] <= MOST_MB_PER_PUSH
    assert megabytes["warm"] == 0


def _archives(folder: Path) -> Path:
    """The archives of this machine and Python, built from the locks."""
    name = subprocess.check_output(
        [sys.executable, "-c", "import archive; print(archive.machine())"], cwd=SCRIPTS, text=True
    )
    lock = folder / "archives.lock"
    wanted = f"{name.strip()}-{sys.implementation.cache_tag}"
    subprocess.run([sys.executable, SCRIPTS / "build_archives.py", folder / "release", lock, wanted], check=True)
    return folder / "release"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _served(folder: Path) -> str:
    handler = functools.partial(_Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def _set_up(temp: Path, mode: str, kind: str, served: str) -> tuple[float, float, str]:
    """Seconds until Assay can be started, MB that came over the network, and the program."""
    output, wheels = temp / "output", temp / f"wheels-{mode}"
    output.write_text("")
    env = {**os.environ, "RUNNER_TEMP": str(temp), "RUNNER_OS": "Linux", "GITHUB_OUTPUT": str(output)}
    env |= {"RUNNER_TOOL_CACHE": str(temp / f"tools-{mode}"), "ASSAY_ACTION_MODE": mode}
    env["ASSAY_ARCHIVES"] = "none:" if kind == "before" else served
    began = time.monotonic()
    done = subprocess.run(["bash", SCRIPTS / "prepare.sh"], env=env, check=True, capture_output=True, text=True)
    told = _outputs(output)
    if "key" in told:
        env |= {"ASSAY_ACTION_HOUSE": told["house"], "ASSAY_ACTION_PYTHON": told["python"]}
        env |= {"ASSAY_ACTION_WHEELHOUSE": str(wheels)}
        subprocess.run(["bash", SCRIPTS / "install.sh"], env=env, check=True, capture_output=True)
        return time.monotonic() - began, _megabytes(wheels), _outputs(output)["assay"]
    setup_s = time.monotonic() - began
    (line,) = [line for line in done.stdout.splitlines() if "MB downloaded" in line]
    return setup_s, float(line.split(", ")[1].split()[0]), told["assay"]


def _judge(assay: str, temp: Path) -> tuple[float, Any]:
    """Seconds, and what was not checked, of validating this repository's last commits; no cache is used."""
    clone = tempfile.mkdtemp(dir=temp)
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    began = time.monotonic()
    command = [assay, "validate", "--base", f"HEAD~{COMMITS}", "--tiers", "quality,risk", "-o", f"{clone}.json"]
    env = {**os.environ, "XDG_CACHE_HOME": tempfile.mkdtemp(dir=temp)}
    done = subprocess.run(command, cwd=clone, env=env, capture_output=True, check=False, timeout=600)
    assert done.returncode in (0, 1), done.stderr.decode()[-2000:]
    return time.monotonic() - began, json.loads(Path(f"{clone}.json").read_text())["not_checked"]
