"""What is installed is told with its version, and what is not with the reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.validators import installed
from assay.validators.tools.execution import installed as installed_module
from assay.validators.tools.execution.installed import _PROGRAMS as PROGRAMS


@pytest.mark.soak
def test_every_program_of_ours_answers_with_its_version():
    tools = {tool.name: tool for tool in installed()}
    for name in ("git", "jscpd", "ast-grep", "squawk", "zizmor", "bandit", "semgrep"):
        assert tools[name].version, tools[name]
        assert tools[name].problem is None


def test_a_program_that_does_not_run_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    broken = tmp_path / "semgrep"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setenv("ASSAY_SEMGREP", str(broken))
    (semgrep,) = [tool for tool in installed() if tool.name == "semgrep"]
    assert semgrep.version is None
    assert "does not answer (3)" in (semgrep.problem or "")
    monkeypatch.setenv("ASSAY_SEMGREP", str(tmp_path / "nowhere"))
    (semgrep,) = [tool for tool in installed() if tool.name == "semgrep"]
    assert "make install-sast" in (semgrep.problem or "")


@pytest.mark.parametrize(("name", "package"), [("git", "git"), ("bwrap", "bubblewrap")])
def test_a_program_of_the_machine_is_in_no_extra(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(installed_module, "_PROGRAMS", [one for one in PROGRAMS if one[0] == name])
    (tool,) = installed()
    assert tool.version is None
    assert f"install {package} " in (tool.problem or "")


def test_a_sandbox_that_does_not_open_is_told_although_its_program_answers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    closed = tmp_path / "bwrap"
    closed.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo bubblewrap 0.12.0 && exit\necho no namespace >&2\nexit 1\n'
    )
    closed.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(installed_module, "_PROGRAMS", [one for one in PROGRAMS if one[0] == "bwrap"])
    (tool,) = installed()
    assert (tool.version, "no namespace" in (tool.problem or "")) == ("0.12.0", True)
