"""Flaky tests are told from broken ones, by each runner that names its tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.validators.report.model import Outcome, Severity
from tests.repositories import RealRepository
from tests.tables import read_yaml
from tests.validators.tools.attacks.toolchains import TOOLCHAINS
from tests.validators.tools.changes import only, run_on, settings

CASES: list[dict[str, Any]] = read_yaml(Path(__file__).parents[2] / "cases" / "flaky" / "cases.yaml")
SAMPLE = ("random, two of three", "broken by what another file's test leaves behind", "broken")
COMMANDS = {
    "pytest": f"{sys.executable} -m pytest -p no:cacheprovider",
    "go": "go test ./...",
    "jest": "npm test",
    "vitest": "npm test",
}
RUNS = """\
import pathlib
def nth(name):
    file = pathlib.Path("{state}", name)
    file.write_text(file.read_text() + "." if file.exists() else ".")
    return len(file.read_text())
"""


def _marked(case: dict[str, Any]) -> Any:
    is_sample = case["runner"] == "pytest" and case["name"] in SAMPLE
    return pytest.param(case, id=f"{case['runner']}: {case['name']}", marks=() if is_sample else (pytest.mark.soak,))


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A folder that outlives the trees, as a clock and a network do."""
    folder = tmp_path / "state"
    folder.mkdir()
    return folder


@pytest.mark.system
@pytest.mark.parametrize("case", [*map(_marked, CASES)])
def test_what_passes_once_is_flaky_and_what_never_does_is_broken(
    case: dict[str, Any], repository: RealRepository, state: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = TOOLCHAINS[case["runner"]]()
    monkeypatch.setenv("PATH", os.pathsep.join((str(folder), os.environ["PATH"])))
    files = {"runs.py": RUNS, "conftest.py": "", **case["base"]}
    for commit in (files, {"README.md": "x\n", **case.get("head", {})}):
        repository.commit(files={path: text.replace("{state}", str(state)) for path, text in commit.items()})
    for name in case.get("state", ()):
        (state / name).touch()
    flaky = "block" if case.get("block") else "note"
    result = run_on(repository, settings({"run": COMMANDS[case["runner"]], "kind": "test"}, flaky=flaky))
    run = only(result)
    assert (run.gating, run.base_outcome) == (case.get("gating", False), Outcome.passed), run.reason
    assert run.outcome is (Outcome.failed if run.gating else Outcome.passed)
    found = [one for one in result.findings if one.rule == "flaky_test"]
    assert len(found) == len(case.get("flaky", {})), result.findings
    assert {one.severity for one in found} <= {Severity.error if flaky == "block" else Severity.warning}
    for name, num in case.get("flaky", {}).items():
        assert f"{name} failed in {num} of 3 runs" in str(run.reason)
    for name in case.get("alone", ()):
        assert f"disturbed by other tests: {name}" in str(run.reason)
    broken = [one for one in result.findings if one.rule != "flaky_test"]
    assert bool(broken) is (run.gating and flaky == "note")
