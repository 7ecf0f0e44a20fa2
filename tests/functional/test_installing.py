"""Assay from a clone, by the programs that people install tools with: uvx, pipx and pre-commit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.project_files import project_files
from tests.repositories import RealRepository

UV = Path(sys.executable).with_name("uv")
HOOK = """\
repos:
  - repo: {clone}
    rev: {rev}
    hooks:
      - id: assay
"""
SETTINGS = (
    "mode: enforce\ntier2: {customRules: [{id: no-print, message: Do not print, severity: error, forbid: 'print'}]}\n"
)

pytestmark = [pytest.mark.soak, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the project's files as they are here."""
    work = RealRepository(tmp_path_factory.mktemp("clone"))
    work.commit("Start", {name: (ROOT / name).read_bytes() for name in project_files()})
    return work.path


@pytest.fixture
def change(repository: RealRepository) -> RealRepository:
    """A change on a branch that breaks a rule of its base."""
    repository.commit("Start", {".github/assay.yml": SETTINGS, "shop.py": "def price(n):\n    return n\n"})
    repository.branch("change")
    repository.commit("Say the price", {"shop.py": "def price(n):\n    print(n)\n    return n\n"})
    return repository


def run(*words: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    outside = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={**outside, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stdout + done.stderr


def test_uvx_runs_it(clone: Path, change: RealRepository):
    code, said = run(
        UV, "tool", "run", "--from", f"assay-review[cli] @ {clone.as_uri()}",
        "assay", "validate", "--base", "main", "--tiers", "quality,risk", cwd=change.path,
    )  # fmt: skip
    assert code == 1, said
    assert "no-print" in said


def test_pipx_installs_it(clone: Path, change: RealRepository, tmp_path: Path):
    homes = {"PIPX_HOME": str(tmp_path / "pipx"), "PIPX_BIN_DIR": str(tmp_path / "bin")}
    code, said = run(
        UV, "tool", "run", "pipx", "install", "--python", sys.executable, f"{clone}[cli]", cwd=tmp_path, env=homes
    )
    assert code == 0, said
    code, said = run(tmp_path / "bin/assay", "validate", "--base", "main", "--tiers", "quality,risk", cwd=change.path)
    assert code == 1, said


def test_pre_commit_validates_before_a_push(clone: Path, change: RealRepository, tmp_path: Path):
    rev = subprocess.run(["git", "rev-parse", "HEAD"], cwd=clone, capture_output=True, text=True, check=True)
    (change.path / ".pre-commit-config.yaml").write_text(HOOK.format(clone=clone, rev=rev.stdout.strip()))
    command: list[str | Path] = [
        UV,
        "tool",
        "run",
        "pre-commit",
        "run",
        "--hook-stage",
        "pre-push",
        "--verbose",
        "assay",
    ]
    home = {"PRE_COMMIT_HOME": str(tmp_path / "pre-commit")}
    change.git("add", ".pre-commit-config.yaml")
    code, said = run(*command, cwd=change.path, env=home)
    assert code == 1, said
    assert "no-print" in said
    change.commit("Return the price", {"shop.py": "def price(n):\n    return n\n"})
    code, said = run(*command, cwd=change.path, env=home)
    assert code == 0, said
    # The hook's environment has no semgrep.
    change.commit("Keep the key", {"keys.py": "KEY = 'gh" + "p_Zk3Q9vXw7LmN2pR5tY8uB1cD4eF6gH0jK2lM'\n"})
    code, said = run(*command, cwd=change.path, env={**home, "ASSAY_SEMGREP": "/absent/semgrep"})
    assert code == 1, said
    assert "keys.py:1" in said
