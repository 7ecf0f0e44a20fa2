"""Whether and how the repository's own commands run where a change is judged apart, and what they get to see."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from assay.validators.report.model import OWN_COMMANDS, Conclusion, Outcome, Tier
from assay.validators.run import isolated
from assay.validators.run.isolated import Commands, ValidationOptions, ValidationRequest
from assay.validators.tools.execution.sandbox import WITHOUT_NETWORK
from tests.repositories import RealRepository
from tests.validators.test_isolated import apart

# ------------------------------------------------------------------ commands in a sandbox

WITH_TESTS = {
    ".github/assay.yml": "tier1: {commands: ['env; touch /etc/x 2>&1; true'], setup: none, sandbox: 'off'}\n",
    "a.py": "x = 1\n",
}


def _sandbox_works(tmp_path: Path) -> bool:
    from assay.validators.configuration.model import Sandbox
    from assay.validators.tools.execution.sandbox import open_sandbox

    return open_sandbox(Sandbox.auto, network=False, scratch=tmp_path).program is not None


@pytest.mark.soak
def test_local_runs_are_in_a_sandbox_without_network_or_not_at_all(
    repository: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    base = repository.commit("Start", WITH_TESTS)
    head = repository.commit("Change", {"a.py": "x = 2\n"})
    request = ValidationRequest(
        str(repository.path), base, head, options=ValidationOptions((Tier.tools,), Commands.sandboxed)
    )
    if not _sandbox_works(tmp_path):
        report = apart(request)
        assert report.tools is not None
        assert [run for run in report.tools.runs if run.found_in.startswith("tier1.commands")] == []
        assert any(note.what == OWN_COMMANDS and "bubblewrap" in note.why for note in report.not_checked)
        return
    report = apart(request)
    assert report.tools is not None
    (run,) = [run for run in report.tools.runs if run.found_in.startswith("tier1.commands")]
    assert run.outcome is Outcome.passed
    assert report.tools.sandbox == WITHOUT_NETWORK
    assert report.conclusion is Conclusion.success


@pytest.mark.soak
def test_without_bubblewrap_nothing_runs_and_the_reason_is_said(
    repository: RealRepository, monkeypatch: pytest.MonkeyPatch
):
    base = repository.commit("Start", {"a.py": "x = 1\n", "Makefile": "test:\n\ttouch ran\n"})
    head = repository.commit("Change", {"a.py": "x = 2\n"})
    tools = Path(sys.executable).parent
    empty = repository.path.parent / "bin"
    empty.mkdir()
    for name in ("git", "sh", "bash"):
        found = next(Path(folder, name) for folder in os.environ["PATH"].split(":") if Path(folder, name).exists())
        (empty / name).symlink_to(found)
    monkeypatch.setenv("PATH", f"{empty}:{tools}")
    report = apart(
        ValidationRequest(
            str(repository.path), base, head, options=ValidationOptions((Tier.tools,), Commands.sandboxed)
        )
    )
    assert [note.why for note in report.not_checked if note.what == OWN_COMMANDS] == [
        "not run: bubblewrap (bwrap) is not installed"
    ]
    assert isolated.child_environment(empty)["PATH"].startswith(str(empty))


# ------------------------------------------------------------------ commands on a machine that is the sandbox

AS_IT_IS = "tier1: {{commands: ['{}'], setup: none, sandbox: 'off'}}\n"

OF_A_RUNNER = {
    name: f"leak-{name}"
    for name in (
        "GITHUB_TOKEN GITHUB_ENV GITHUB_OUTPUT GITHUB_PATH GITHUB_STATE GITHUB_STEP_SUMMARY GITHUB_EVENT_PATH "
        "GITHUB_WORKSPACE ACTIONS_ID_TOKEN_REQUEST_TOKEN ACTIONS_ID_TOKEN_REQUEST_URL ACTIONS_RUNTIME_TOKEN "
        "ACTIONS_RUNTIME_URL ACTIONS_RESULTS_URL ACTIONS_CACHE_URL RUNNER_TEMP RUNNER_TOOL_CACHE RUNNER_TRACKING_ID "
        "ASSAY_ACTION_TOKEN ASSAY_ACTION_WORK ASSAY_ACTION_APP_URL ANTHROPIC_API_KEY INPUT_TOKEN GH_TOKEN "
        "ASSAY_HOME PYTHONPATH PYTHONSAFEPATH"
    ).split()
}


@pytest.mark.parametrize("commands", [Commands.as_configured, Commands.alone])
def test_a_command_of_the_change_sees_nothing_of_the_runner(
    commands: Commands, repository: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name, value in OF_A_RUNNER.items():
        monkeypatch.setenv(name, value)
    dump = tmp_path / "dump"
    script = f"env > {dump}\ntr '\\0' '\\n' < /proc/$PPID/environ >> {dump}\n"
    files = {".github/assay.yml": AS_IT_IS.format("sh dump.sh"), "dump.sh": script, "a.py": "x = 1\n"}
    base = repository.commit("Start", files)
    head = repository.commit("Change", {"a.py": "x = 2\n"})
    report = apart(
        ValidationRequest(str(repository.path), base, head, options=ValidationOptions((Tier.tools,), commands))
    )
    assert report.tools is not None
    assert [run.outcome for run in report.tools.runs if run.found_in.startswith("tier1.commands")] == [Outcome.passed]
    seen = dump.read_text()
    assert "PATH=" in seen
    assert [name for name in OF_A_RUNNER if f"leak-{name}" in seen] == []
    assert [line for line in seen.splitlines() if line.startswith(("GITHUB_", "ACTIONS_", "RUNNER_"))] == []


COVERAGE = """\
<coverage><packages><package><classes><class filename="a.py"><lines>
<line number="1" hits="1"/><line number="2" hits="0"/>
</lines></class></classes></package></packages></coverage>
"""


@pytest.mark.soak
@pytest.mark.parametrize(("commands", "num_scanners"), [(Commands.as_configured, 2), (Commands.alone, 0)])
def test_commands_run_as_the_repository_has_them_with_or_without_the_scanners(
    commands: Commands, num_scanners: int, repository: RealRepository
):
    settings = AS_IT_IS.format("cp kept.xml coverage.xml")
    base = repository.commit("Start", {".github/assay.yml": settings, "kept.xml": COVERAGE, "a.py": "x = 1\ny = 1\n"})
    head = repository.commit("Change", {"a.py": "x = 2\ny = 2\n"})
    request = ValidationRequest(
        str(repository.path), base, head, options=ValidationOptions((Tier.tools,), commands, lines=True)
    )
    tools = apart(request).tools
    assert tools is not None
    scanners = [run.name for run in tools.runs if run.found_in.startswith("tier1.scanners")]
    assert len(scanners) == num_scanners
    assert len(tools.runs) == num_scanners + 1
    assert tools.line_coverage == {"a.py": {1: True, 2: False}}
    assert tools.sandbox == "none: switched off by tier1.sandbox"
    without = apart(replace(request, options=replace(request.options, lines=False))).tools
    assert without is not None
    assert without.line_coverage is None
