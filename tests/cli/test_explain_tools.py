"""`assay validate --explain-tools` fits 80 columns, and runs nothing."""

from __future__ import annotations

from typing import Any

import pytest

from assay.cli.main import run
from tests.repositories import RealRepository

FILES = {
    "Makefile": f"test:\n\ttouch ran\n\tpython -m pytest -q {'--a-long-option=1 ' * 6}\n",
    "pyproject.toml": "[tool.ruff]\nline-length = 100\n",
    ".github/workflows/ci.yml": "on: push\njobs:\n  test:\n    runs-on: x\n    steps: [{run: ruff check .}]\n",
    "a.py": "x = 1\n",
}


def test_each_command_is_shown_with_its_source_and_reader(
    repository: RealRepository, capsys: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("COLUMNS", "80")
    repository.commit("Start", FILES)
    repository.commit("Change", {"a.py": "x = 2\n"})
    assert run(["validate", str(repository.path), "--base", "HEAD~1", "--explain-tools"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    remarks = [line.strip() for line in lines if line.strip().startswith("from ")]
    assert any("make test" in line for line in lines)
    assert any(one.startswith("from Makefile:1 test; read by ") for one in remarks)
    assert any("read by ruff" in one for one in remarks)
    assert not (repository.path / "ran").exists()
