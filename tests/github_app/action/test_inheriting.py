"""The Action validates under the configuration of the organization, as far as the token of its job can read it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.github_app.action.test_steps import QUICK, all_steps, change, outputs
from tests.github_app.action.workflow import Workflow
from tests.repositories import RealRepository


@pytest.mark.system
@pytest.mark.parametrize("private", [False, True])
def test_a_job_goes_by_the_organizations_configuration_as_far_as_its_token_reads(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path, private: bool, capsys: pytest.CaptureFixture[str]
):
    change(workflow, "mode: advisory\n", {"app.py": "x = 1\n"})
    organization = RealRepository(tmp_path / "organization")
    full_name = workflow.github.create_repository(".github", private=private)
    organization.commit("Configure", {".github/assay.yml": "locked: [mode]\nmode: enforce\n"})
    workflow.github.push(organization, "main", repo=full_name)
    assert all_steps(env_of(**QUICK)) == 0
    report = json.loads(Path(outputs(tmp_path)["report"]).read_text())
    file = f"{full_name}/.github/assay.yml"
    assert report["mode"] == ("advisory" if private else "enforce")
    assert ({"file": file, "is_own": False} in report["settings"]["sources"]) is not private
    assert ("is private" in capsys.readouterr().out) is private
    # Most accounts have no such repository: a report that names it tells its reader nothing.
    shown = workflow.check()["output"]
    assert (file in "".join(shown[part] or "" for part in ("summary", "text"))) is not private


def test_a_repository_that_cannot_be_extended_stops_the_job_with_a_line(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path
):
    change(workflow, "mode: advisory\nextends: acme/standards\n", {"app.py": "x = 1\n"})
    assert all_steps(env_of(**QUICK)) == 2
    (reason,) = json.loads(Path(outputs(tmp_path)["report"]).read_text())["reasons"]
    assert reason.startswith("config.not-inherited: .github/assay.yml:2: ")
