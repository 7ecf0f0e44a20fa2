"""Every supported Python: the App, installed from its lock file under each that is here, validates a pull request.

`make test` runs the whole suite on one of them; CI does so on each.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from assay.github_app.ops.doctor import NEWEST_PYTHON, OLDEST_PYTHON
from tests.conftest import ROOT
from tests.fakes.github import FakeGitHub
from tests.functional.emulated_pull import validated_pull
from tests.github_app.processes import AppProcess, environment_for, wait_ready
from tests.repositories import RealRepository

SUPPORTED = [f"3.{minor}" for minor in range(OLDEST_PYTHON[1], NEWEST_PYTHON[1] + 1)]


def _interpreter(version: str) -> str | None:
    """The path of an installed Python of this version: on the path, or one of pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    on_path = shutil.which(f"python{version}")
    candidates = [*map(str, sorted(pyenv.glob(f"{version}.*/bin/python"))), *([on_path] if on_path else [])]
    asked = "import sys; print('.'.join(map(str, sys.version_info[:2])))"
    for one in candidates:
        told = subprocess.run([one, "-c", asked], capture_output=True, text=True, check=False)
        if told.stdout.strip() == version:
            return one
    return None


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("version", SUPPORTED)
def test_the_app_validates_a_pull_request_under_each_python(
    version: str, github: FakeGitHub, repository: RealRepository, tmp_path: Path
):
    python = _interpreter(version)
    if python is None:
        pytest.skip(f"Python {version} is not installed here")
    environment = tmp_path / "venv"
    made = subprocess.run(
        ["make", "install-app", f"VENV={environment}", f"PYTHON={python}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr[-2000:]
    settings = environment_for(github, tmp_path / "data")
    process = AppProcess("serve", settings, tmp_path / "app.log", (str(environment / "bin" / "assay"), "serve"))
    process.start()
    try:
        conclusion = validated_pull(github, repository, wait_ready(settings, process))
        assert conclusion in ("success", "neutral"), process.said()[-4000:]
        assert process.terminate() == 0
    finally:
        process.close()
    told = subprocess.run(
        [str(environment / "bin" / "assay"), "doctor", "--format", "json"],
        env=settings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert f'"what": "{version}.' in told.stdout
