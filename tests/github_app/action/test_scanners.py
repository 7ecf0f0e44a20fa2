"""Which scanners a change asks for: the fetch step names them, and no others are installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.action.steps import steps
from tests.github_app.action.test_steps import change, outputs
from tests.github_app.action.workflow import Workflow


@pytest.mark.parametrize(
    ("files", "asked"),
    [
        ({"app.py": "def price(n):\n    return n + 1\n", "README.md": "# Shop\n"}, ""),
        ({"app.py": "name = tempfile.mktemp()\n"}, "semgrep"),
        ({".github/workflows/ci.yml": "on: push\n", "db/migrations/1.sql": "SELECT 1;\n"}, "squawk-cli zizmor"),
    ],
)
def test_only_the_scanners_that_a_changed_file_asks_for_are_named(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path, files: dict[str, str], asked: str
):
    change(workflow, "mode: advisory\n", files)
    for mode in ("publish", "tools"):
        (tmp_path / "output").unlink(missing_ok=True)
        assert steps.fetch(env_of(MODE=mode)) == 0
        told = outputs(tmp_path) if (tmp_path / "output").exists() else {}
        assert told.get("scanners", "") == (asked if mode == "publish" else "")


@pytest.mark.parametrize(
    ("settings", "asked"),
    [
        ("tier1: {scanners: [bandit, zizmor, squawk]}\n", ""),
        ("tier2: {customRules: [{id: a, message: No, astGrep: rules/a.yml}]}\n", "ast-grep-cli semgrep"),
    ],
)
def test_the_configuration_of_the_base_asks_for_scanners_and_switches_them_off(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path, settings: str, asked: str
):
    change(workflow, settings, {"app.py": "name = tempfile.mktemp()\n"})
    assert steps.fetch(env_of(MODE="publish")) == 0
    told = outputs(tmp_path) if (tmp_path / "output").exists() else {}
    assert told.get("scanners", "") == asked


def test_rules_that_the_base_keeps_ask_for_semgrep_whatever_the_change_is(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path
):
    workflow.repository.switch("main")
    rule = "rules: [{id: a, languages: [python], severity: INFO, message: No, pattern: print(...)}]\n"
    workflow.repository.commit("Rules", {".semgrep/a.yml": rule})
    change(workflow, "mode: advisory\n", {"app.py": "x = 1\n"})
    assert steps.fetch(env_of(MODE="publish")) == 0
    assert outputs(tmp_path)["scanners"] == "semgrep"
