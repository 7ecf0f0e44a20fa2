"""`--fix-with`: an agent's command is handed what fails, and the failing tier looks again."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.functional.conftest import Assay, Said
from tests.repositories import RealRepository

RED = "def add(a, b):\n    return a - b\n"
GREEN = "def add(a, b):\n    return a + b\n"
TEST = """\
import unittest
from calc import add


class AddTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 2), 4)
"""
SETTINGS = f"""\
tier1:
  setup: none
  scanners: []
  commands:
    - name: unittest
      run: {sys.base_prefix}/bin/python3 -m unittest -q
      kind: test
"""


@pytest.fixture
def project(repository: RealRepository) -> RealRepository:
    """A project whose branch `feature` breaks its test."""
    repository.commit("Start", {"calc.py": GREEN, "test_calc.py": TEST, ".github/assay.yml": SETTINGS})
    repository.branch("feature")
    repository.commit("Break", {"calc.py": RED})
    return repository


def _agent(tmp_path: Path, code: str) -> str:
    script = tmp_path / "agent.py"
    log = f"import os, sys, json; open({str(tmp_path / 'log')!r}, 'a').write('called\\n')\n"
    script.write_text(log + code)
    return shlex.join([f"{sys.base_prefix}/bin/python3", str(script)])


def _calls(tmp_path: Path) -> int:
    log = tmp_path / "log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def _validate(assay: Assay, project: RealRepository, agent: str, *more: str) -> Said:
    return assay(
        "validate", "--tiers", "tools,quality", "--fix-with", agent, "--format", "json", *more, cwd=project.path
    )


def test_without_help_the_change_fails(assay: Assay, project: RealRepository) -> None:
    said = assay("validate", "--tiers", "tools", "--format", "json", cwd=project.path)
    assert said.code == 1, said.err
    (run,) = said.report["tiers"]["tools"]["runs"]
    assert (run["outcome"], run["base_outcome"]) == ("failed", "passed")


def test_an_agent_that_mends_it_makes_it_pass(assay: Assay, project: RealRepository, tmp_path: Path) -> None:
    agent = _agent(
        tmp_path,
        "told = json.load(open(os.environ['ASSAY_FINDINGS_JSON']))\n"
        "told = [told, open(os.environ['ASSAY_FINDINGS_MD']).read(), sys.stdin.read()]\n"
        f"json.dump(told, open({str(tmp_path / 'told')!r}, 'w'))\n"
        f"open('calc.py', 'w').write({GREEN!r})\n",
    )
    said = _validate(assay, project, agent)
    assert said.code == 0, said.err
    assert said.report["conclusion"] == "success"
    assert _calls(tmp_path) == 1
    data, markdown, stdin = json.loads((tmp_path / "told").read_text())
    assert data["findings"][0]["name"] == "unittest"
    assert markdown == stdin
    assert "unittest" in markdown
    assert project.git("diff", "--name-only").split() == ["calc.py"], "the work is left for the user to commit"


@pytest.mark.soak
def test_an_agent_that_changes_nothing_is_called_once(assay: Assay, project: RealRepository, tmp_path: Path) -> None:
    said = _validate(assay, project, _agent(tmp_path, "pass\n"))
    assert said.code == 1
    assert _calls(tmp_path) == 1
    assert any("unchanged" in note["why"] for note in said.report["not_checked"])


@pytest.mark.soak
def test_cycles_are_counted(assay: Assay, project: RealRepository, tmp_path: Path) -> None:
    worse = f"n = len(open({str(tmp_path / 'log')!r}).readlines())\n"
    worse += "open('calc.py', 'w').write(f'def add(a, b): return {n}00\\n')\n"
    said = _validate(assay, project, _agent(tmp_path, worse))
    assert said.code == 1
    assert _calls(tmp_path) == 2, "maxFixCyclesPerTier"


@pytest.mark.parametrize(
    "agent",
    ["sh -c 'kill -9 $$'", *(pytest.param(one, marks=pytest.mark.soak) for one in ("no-such-agent --now", "false"))],
)
def test_a_failing_agent_is_reported_and_nothing_is_lost(assay: Assay, project: RealRepository, agent: str) -> None:
    said = _validate(assay, project, agent)
    assert said.code == 1
    assert any("fix" in note["what"] for note in said.report["not_checked"])


@pytest.mark.soak
def test_blocking_quality_is_handed_over_too(assay: Assay, project: RealRepository, tmp_path: Path) -> None:
    project.switch("main")
    rule = "{id: no-print, message: Log instead of printing., severity: error, forbid: 'print\\('}"
    rule = f"tier2:\n  customRules:\n    - {rule}\n"
    project.commit("Forbid", {".github/assay.yml": SETTINGS + rule})
    project.branch("talk")
    project.commit("Talk", {"talk.py": "print('hello')\n"})
    said = _validate(assay, project, _agent(tmp_path, "open('talk.py', 'w').write('import logging\\n')\n"))
    assert said.code == 0, said.out
    assert _calls(tmp_path) == 1


@pytest.mark.soak
def test_the_head_has_to_lie_in_the_work_tree(assay: Assay, project: RealRepository) -> None:
    said = _validate(assay, project, "true", "--head", "main")
    assert said.code == 2
    assert "fix.not-checked-out" in said.one_clear_line()
    project.write("stray.py", "x = 1\n")
    said = _validate(assay, project, "true")
    assert said.code == 2
    assert "uncommitted work" in said.one_clear_line()
