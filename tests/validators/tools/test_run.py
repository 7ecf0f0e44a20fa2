"""Tier 1 on real repositories with real commands: what is run where, and what it comes to."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.validators.configuration.model import ValidationConfig
from assay.validators.policy.verdict import decide
from assay.validators.report.model import Conclusion, Gate, Outcome, Severity, ToolKind
from assay.validators.tools.run import run_tools
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.repositories import RealRepository
from tests.validators.tools.changes import Told, only, run_on, settings


@pytest.fixture
def breaking(repository: RealRepository) -> RealRepository:
    """A change after which `grep -q good state` fails."""
    repository.commit(files={"state": "good\n"})
    repository.commit(files={"state": "bad\n"})
    return repository


@pytest.mark.soak
def test_a_passing_command_passes_and_the_base_is_left_alone(breaking: RealRepository):
    told = Told()
    run = only(run_on(breaking, settings("grep -q bad state"), told))
    assert (run.outcome, run.gating, run.base_outcome) == (Outcome.passed, False, None)
    assert not any("base" in step for step in told.steps)


def test_what_passes_on_the_base_and_fails_on_the_head_gates(breaking: RealRepository):
    run = only(run_on(breaking, settings("grep -q good state")))
    assert (run.outcome, run.gating, run.base_outcome) == (Outcome.failed, True, Outcome.passed)
    assert run.reason == "it passes on the base"
    assert (run.found_in, run.exit_code) == ("tier1.commands[0]", 1)


def test_the_base_is_built_before_its_commands_are_compared(breaking: RealRepository):
    build = {"run": "cp state built", "kind": "build"}
    lint = {"run": "test ! -e built || { echo leftover; exit 1; }", "kind": "lint"}
    _, run = run_on(breaking, settings(build, lint)).runs
    assert (run.gating, run.base_outcome) == (False, Outcome.failed), "the build made it fail, not the change"


@pytest.mark.soak
def test_what_fails_on_both_for_the_same_cause_could_not_run(breaking: RealRepository):
    run = only(run_on(breaking, settings("echo no database at port $$; exit 3")))
    assert (run.outcome, run.gating, run.base_outcome) == (Outcome.infra_failed, False, Outcome.failed)


@pytest.mark.soak
def test_what_fails_on_both_for_another_cause_has_no_baseline_and_gates(breaking: RealRepository):
    run = only(run_on(breaking, settings("echo the state is $(cat state); exit 3")))
    assert (run.outcome, run.gating, run.base_outcome) == (Outcome.failed, True, Outcome.failed)


@pytest.mark.parametrize(("gate", "gating"), [("strict", True), ("informational", False)])
def test_other_gates_do_not_ask_the_base(breaking: RealRepository, gate: str, gating: bool):
    run = only(run_on(breaking, settings({"run": "exit 1", "gate": gate})))
    assert (run.outcome, run.gating, run.base_outcome, run.gate) == (Outcome.failed, gating, None, Gate(gate))


def test_shell_lines_run_through_bash_with_pipefail(breaking: RealRepository):
    config = settings("false | cat", "X=bad; grep -q $X state", "grep -q 'bad' stat*", gate="strict")
    assert [run.outcome for run in run_on(breaking, config).runs] == [Outcome.failed, Outcome.passed, Outcome.passed]


@pytest.mark.soak
def test_a_command_runs_in_its_directory(repository: RealRepository):
    repository.commit(files={"web/here": ""})
    repository.commit(files={"web/more": ""})
    config = settings({"run": "test -f here", "directory": "web"}, {"run": "true", "directory": "nowhere"})
    found, missing = run_on(repository, config).runs
    assert (found.outcome, found.directory) == (Outcome.passed, "web")
    assert missing.outcome is Outcome.inert
    assert "nowhere" in str(missing.reason)


@pytest.mark.soak
def test_a_link_out_of_the_tree_is_no_directory(repository: RealRepository, tmp_path: Path):
    repository.commit()
    repository.link("out", str(tmp_path))
    repository.commit()
    assert only(run_on(repository, settings({"run": "touch x", "directory": "out"}))).outcome is Outcome.inert
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        ("kill -9 $$", Outcome.infra_failed),
        ("exit 137", Outcome.infra_failed),
        ("no-such-program --flag", Outcome.inert),
        ("no-such-program | cat", Outcome.inert),
        ("make no-such-target", Outcome.inert),
        ("grep -q good state || kill -SEGV $$", Outcome.failed),
    ],
)
def test_the_machine_and_the_configuration_are_told_from_the_change(
    breaking: RealRepository, line: str, outcome: Outcome
):
    run = only(run_on(breaking, settings(line)))
    assert run.outcome is outcome
    assert run.reason
    assert run.gating is (outcome is Outcome.failed)


@pytest.mark.soak
def test_a_script_the_change_removes_is_a_failure_and_not_a_mistake_of_the_configuration(repository: RealRepository):
    repository.commit(files={"Makefile": "test:\n\ttrue\n"})
    repository.commit(files={"Makefile": "other:\n\ttrue\n"})
    run = only(run_on(repository, settings("make test")))
    assert (run.outcome, run.gating, run.base_outcome) == (Outcome.failed, True, Outcome.passed)


def test_a_tree_without_any_command_says_so(breaking: RealRepository):
    result = run_on(breaking, settings())
    assert result.runs == ()
    assert "none was found; name them in tier1.commands" in [note.why for note in result.not_checked]


@pytest.mark.soak
def test_a_command_the_change_takes_away_is_not_forgotten(repository: RealRepository):
    repository.commit(files={"Makefile": "test:\n\t./run\nlint:\n\tgrep l Makefile\n"})
    repository.commit(files={"Makefile": "lint:\n\tgrep l Makefile\n"})
    notes = {note.what: note.why for note in run_on(repository, settings()).not_checked}
    assert "(Makefile:1 test)" in notes["`make test`"]
    assert "tests" in notes


def test_a_part_of_a_script_that_does_not_run_is_not_checked(repository: RealRepository):
    repository.commit(files={"Makefile": "lint:\n\tpip install .\n\truff check .\n\t./own\n", "state": "good\n"})
    repository.commit(files={"state": "bad\n"})
    assert "`./own`" in [note.what for note in run_on(repository, settings()).not_checked]


def test_a_hanging_command_is_stopped_and_the_rest_is_skipped_and_said(breaking: RealRepository):
    result = run_on(breaking, settings("sleep 600", "true", timeoutSeconds=1))
    hung, skipped = result.runs
    assert (hung.outcome, hung.gating) == (Outcome.infra_failed, False)
    assert (skipped.outcome, skipped.reason, skipped.gating) == (Outcome.skipped, "the tier's time was used up", False)
    assert result.timed_out


@pytest.mark.system
def test_long_tests_leave_time_to_compare_a_linter(breaking: RealRepository):
    lint = {"run": "echo old; exit 1", "kind": "lint"}
    run, _ = run_on(breaking, settings(lint, {"run": "sleep 60", "kind": "test"}, timeoutSeconds=3)).runs
    assert (run.gating, run.base_outcome) == (False, Outcome.failed)


@pytest.mark.system
def test_tests_come_before_the_rest_once_half_of_the_time_is_used(breaking: RealRepository):
    commands = [
        {"run": "sleep 1.5", "kind": "lint", "name": "first"},
        {"run": "sleep 60", "kind": "lint", "name": "second"},
        {"run": "true", "kind": "test", "name": "tests"},
    ]
    result = run_on(breaking, settings(*commands, timeoutSeconds=3))
    assert [(run.name, run.outcome) for run in result.runs] == [
        ("first", Outcome.passed),
        ("second", Outcome.infra_failed),
        ("tests", Outcome.passed),
    ]


@pytest.mark.parametrize("mode", ["advisory", "enforce"])
@pytest.mark.parametrize("kind", ["lint", "test"])
def test_a_line_like_that_of_a_failed_download_never_leads_to_success(breaking: RealRepository, mode: str, kind: str):
    said = "echo npm error code ENOTFOUND; grep -q good state"
    result = run_on(breaking, settings({"run": said, "kind": kind}, {"run": "true", "kind": "build"}))
    assert [run.outcome for run in result.runs] == [Outcome.infra_failed, Outcome.passed]
    config = ValidationConfig.model_validate({"mode": mode})
    assert decide(config, result, None, None, expects_tests=True).conclusion is Conclusion.incomplete


@pytest.mark.system
def test_a_command_has_its_own_limit_inside_the_tiers(breaking: RealRepository):
    result = run_on(breaking, settings({"run": "sleep 60", "timeoutSeconds": 1}, "true", gate="strict"))
    assert [run.outcome for run in result.runs] == [Outcome.timed_out, Outcome.passed]
    assert not result.timed_out


@pytest.mark.soak
def test_a_daemon_is_gone_when_its_command_is(breaking: RealRepository, tmp_path: Path):
    pid_file = tmp_path / "pid"
    line = f"setsid sh -c 'echo $$ > {pid_file}; exec sleep 300' > /dev/null 2>&1 & sleep 0.3"
    assert only(run_on(breaking, settings(line))).outcome is Outcome.passed
    pid = int(pid_file.read_text())
    state = Path(f"/proc/{pid}/stat")
    assert not state.exists() or state.read_text().split()[2] == "Z"


@pytest.mark.soak
def test_a_flood_of_output_is_searched_and_not_kept(breaking: RealRepository):
    quiet = "yes a line that is as long as most lines of a log are, and says nothing at all | head -n 350000"
    line = f"{quiet}; echo FAILED in the middle; {quiet}; exit 1"
    run = only(run_on(breaking, settings(line, gate="strict")))
    assert run.outcome is Outcome.failed
    assert "FAILED in the middle" in run.excerpt
    assert len(run.excerpt) < 60


@pytest.mark.soak
def test_a_gigabyte_of_output_is_searched_and_not_kept(breaking: RealRepository):
    line = "yes quiet | head -n 80000000; echo FAILED in the middle; yes quiet | head -n 80000000; exit 1"
    run = only(run_on(breaking, settings(line, gate="strict")))
    assert (run.outcome, "FAILED in the middle" in run.excerpt) == (Outcome.failed, True)


def test_no_secret_and_none_of_our_python_settings_reach_a_command(
    breaking: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name in ("ANTHROPIC_API_KEY", "GITHUB_TOKEN", "PYTHONSAFEPATH", "PYTHONPATH", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("VIRTUAL_ENV", "/ours")
    run_on(breaking, settings(f"env > {tmp_path}/env"))
    given = dict(line.split("=", 1) for line in (tmp_path / "env").read_text().splitlines() if "=" in line)
    assert "secret" not in given.values()
    assert given.get("VIRTUAL_ENV") is None
    assert given["CI"] == "true"
    assert not any(name.startswith("PYTHON") for name in given)


@pytest.mark.soak
def test_two_commands_of_one_name_are_told_apart(breaking: RealRepository):
    result = run_on(breaking, settings("grep -q bad state", "grep -c bad state", "true"))
    assert [run.name for run in result.runs] == ["grep", "grep (2)", "true"]


def test_a_command_says_its_kind_and_name_or_they_are_guessed(breaking: RealRepository):
    config = settings({"run": "true", "name": "Contract", "kind": "build"}, "true # lint", "./run-tests.sh || true")
    kinds = [(run.name, run.kind) for run in run_on(breaking, config).runs]
    assert kinds[0] == ("Contract", ToolKind.build)
    assert kinds[2] == ("run-tests.sh", ToolKind.test)


def test_coverage_that_a_command_leaves_behind_is_picked_up(repository: RealRepository):
    repository.commit(files={"a.py": "x = 1\ny = 2\n"})
    repository.commit(files={"a.py": "x = 1\ny = 3\n"})
    lcov = r"printf 'SF:a.py\nDA:1,1\nDA:2,0\nend_of_record\n' > lcov.info"
    result = run_on(repository, settings(lcov))
    assert result.line_coverage == {"a.py": {1: True, 2: False}}
    assert result.coverage_source == "lcov.info"


@pytest.mark.system
def test_coverage_of_tests_that_did_not_finish_is_not_used(repository: RealRepository):
    repository.commit(files={"a.py": "x = 1\ny = 2\n"})
    repository.commit(files={"a.py": "x = 1\ny = 3\n"})
    lcov = r"printf 'SF:a.py\nDA:1,1\nDA:2,0\nend_of_record\n' > lcov.info"
    slow = {"run": f"{lcov}; sleep 60", "kind": "test", "name": "slow", "timeoutSeconds": 1}
    result = run_on(repository, settings(slow))
    assert (result.line_coverage, result.coverage_source) == (None, None)
    assert "coverage" in [note.what for note in result.not_checked]
    assert run_on(repository, settings({**slow, "kind": "lint"})).line_coverage == {"a.py": {1: True, 2: False}}


def test_the_tree_a_command_sees_is_the_commit_and_nothing_else(repository: RealRepository):
    repository.commit(files={"a": "1", ".gitignore": "junk\n"})
    repository.commit(files={"a": "2"})
    repository.write("junk", "x")
    repository.write("untracked", "x")
    run = only(run_on(repository, settings("test ! -e junk && test ! -e untracked && test $(cat a) = 2 && git log -1")))
    assert run.outcome is Outcome.passed


@pytest.mark.soak
def test_findings_of_a_run_that_counts_are_errors(repository: RealRepository):
    repository.commit(files={"a.c": "int x;\n"})
    repository.commit(files={"a.c": "int x;\nint y\n"})
    line = "grep -q 'y$' a.c && echo 'a.c:2:6: error: expected ;' && exit 1; exit 0"
    result = run_on(repository, settings({"run": line, "kind": "build"}))
    assert [(one.severity, one.file, one.line) for one in result.findings] == [(Severity.error, "a.c", 2)]
    assert result.findings[0].id


def test_a_tree_that_is_given_is_run_in_as_it_stands(breaking: RealRepository, tmp_path: Path):
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "state").write_text("mended\n")
    with Repository(breaking.path) as opened:
        change = read_change(opened, "HEAD~1", "HEAD")
        config = settings("grep -q mended state", setup=("exit 1",))
        run = only(run_tools(change, config, tree=tmp_path / "given"))
    assert run.outcome is Outcome.passed
