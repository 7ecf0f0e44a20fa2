"""An exam is the same bytes everywhere: another Python, order of hashes, locale or time zone changes nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.memory_eval.integrity import digests

OTHER_PYTHONS = ("python3.12", "python3.13", "python3.14")


def printed(python: str, project_root: Path, **surroundings: str) -> str:
    """What the checksums are there."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYENV_VERSION", "PYTHONHASHSEED")}
    environment = {**kept, "PYTHONPATH": str(project_root), "PYTHONDONTWRITEBYTECODE": "1", **surroundings}
    done = subprocess.run([python, digests.__file__], env=environment, capture_output=True, text=True, check=True)
    return done.stdout


@cache
def here() -> str:
    """What they are in this process: worked out once."""
    return digests.told()


def runs(python: str) -> dict[str, str] | None:
    """What an interpreter needs around it to run (pyenv wants to be told which one); None: it is not there."""
    found = shutil.which(python)
    for surroundings in ({}, {"PYENV_VERSION": python.removeprefix("python")}):
        environment = {**os.environ, **surroundings}
        if (
            found
            and subprocess.run([found, "-c", ""], env=environment, capture_output=True, check=False).returncode == 0
        ):
            return surroundings
    return None


@pytest.mark.soak
@pytest.mark.parametrize(
    "surroundings",
    [
        {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
        {"PYTHONHASHSEED": "4711", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu"},
        {"PYTHONHASHSEED": "99", "LC_ALL": "C.UTF-8", "TZ": "Pacific/Apia", "PYTHONUTF8": "0", "PYTHONOPTIMIZE": "2"},
    ],
    ids=["plain", "turkish", "optimized"],
)
def test_surroundings_change_nothing(surroundings: dict[str, str], project_root: Path):
    assert printed(sys.executable, project_root, **surroundings) == here()


@pytest.mark.soak
@pytest.mark.parametrize("python", OTHER_PYTHONS)
def test_another_python_draws_the_same(python: str, project_root: Path):
    """Drawing needs nothing but the standard library, so any interpreter on this machine can be asked."""
    surroundings = runs(python)
    if surroundings is None:
        pytest.skip(f"there is no {python} on this machine")
    assert printed(python, project_root, **surroundings) == here()
