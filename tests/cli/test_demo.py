"""`assay demo` shows a real report in less than a minute, and runs the code of the tree it judges."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

from assay.cli import demo
from assay.cli.main import run
from assay.validators import Command, Repository, change_between
from tests.repositories import RealRepository

TEST = """\
import os, subprocess, sys, assay
def test_here():
    assert assay.__file__ == os.path.join(os.getcwd(), "assay", "__init__.py")
def test_below():
    where = [sys.executable, "-c", "import assay; print(assay.__file__)"]
    assert subprocess.run(where, cwd="/", capture_output=True, text=True).stdout.strip() == assay.__file__
"""


def test_a_landed_change_is_judged_and_written_in_three_formats(
    repository: RealRepository, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    repository.commit("Start", {"calc.py": "x = 1\n"})
    repository.commit("Land something", {"calc.py": "".join(f"x{n} = {n}\n" for n in range(30))})
    repository.commit("Docs", {"README.md": "hello\n"})
    assert run(["demo", str(repository.path), "--output-dir", str(tmp_path / "out")]) == 0
    assert {file.name for file in (tmp_path / "out").iterdir()} == set(demo.FORMATS.values())
    report = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert [file["path"] for file in report["files"]] == ["calc.py"]
    assert "Land something" in capsys.readouterr().err


@pytest.mark.soak
def test_the_tests_of_a_tree_see_the_code_of_that_tree(repository: RealRepository):
    repository.commit("Start", {"tests/test_old.py": "def test_old():\n    pass\n"})
    repository.commit("Tests", {"tests/test_it.py": TEST, "assay/__init__.py": "HERE = True\n"})
    with Repository(repository.path) as opened:
        config = demo._settings(is_own=True, change=change_between(opened, "HEAD~1"))
    (line,) = (
        one.run
        for one in config.tier1.commands or ()
        if isinstance(one, Command) and (one.name or "").startswith("pytest")
    )
    # As a command runs in a judged tree: nothing of our own environment is on its path.
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line.replace("-m 'not soak and not bench' ", "")],
        cwd=repository.path,
        env={"PATH": os.environ["PATH"], "HOME": str(repository.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_what_the_checkout_has_ready_is_lent_to_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(demo, "_own_repository", lambda: tmp_path)
    assert demo._borrowed() == "none"
    (tmp_path / "tests/fakes/node/node_modules").mkdir(parents=True)
    tree = tmp_path / "tree"
    tree.mkdir()
    for step in demo._borrowed():
        subprocess.run(["bash", "-c", step], cwd=tree, check=True)
    assert (tree / "tests/fakes/node/node_modules").resolve() == tmp_path / "tests/fakes/node/node_modules"


@pytest.mark.system
def test_a_memory_is_examined_at_the_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    demo._examine(tmp_path, Console(stderr=True))
    data = json.loads((tmp_path / "memory" / "report.json").read_text("utf-8"))
    assert data["valid"]
    assert len({one["category"] for one in data["results"]}) == 24
    shown = capsys.readouterr()
    assert "CATEGORY BREAKDOWN" in shown.out
    assert "a dialogue of 200 turns" in shown.err
