"""The three steps one after the other, each knowing its environment alone, on the fake GitHub."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.action.environment import state
from assay.action.environment.job import read_job
from assay.action.steps import steps
from assay.action.steps.steps import BRANCH_GONE, NOTHING_TO_VALIDATE
from assay.cli.main import run
from assay.github.errors import ActionMisused, GithubAppError
from assay.github.external_results.tools_payload import REPORTED_BY, body_of, read_posted
from assay.validators import OWN_COMMANDS, Gate, Outcome, ToolKind, ToolRun, ToolsResult
from assay.validators.report.model import NOT_REQUESTED
from tests.github_app.action.test_log import commands
from tests.github_app.action.workflow import READING, Workflow

COMMANDS = "tier1: {{commands: ['{}'], setup: none, sandbox: 'off', gate: strict}}\nmode: enforce\n"
ALONE = COMMANDS.replace("setup:", "scanners: [zizmor, squawk], setup:")
"""The same for tests in which no scanner has anything to say."""


def outputs(folder: Path) -> dict[str, str]:
    lines = (folder / "output").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


QUICK = {"MODE": "publish", "TIERS": "risk"}
"""A job that runs and reads no commands: for tests that are about something else."""


def all_steps(env: dict[str, str], between: Callable[[], None] = lambda: None) -> int:
    """As action.yml runs them: the one in the middle has no token."""
    assert steps.fetch(env) == 0
    without = {name: value for name, value in env.items() if name != "ASSAY_ACTION_TOKEN"}
    assert steps.validate(without) == 0
    between()
    return steps.publish(env)


def change(workflow: Workflow, config: str, files: dict[str, str]) -> None:
    """The pull request again, with this configuration in its base and these files in its head."""
    repository = workflow.repository
    repository.switch("main")
    workflow.base = repository.commit("Configure", {".github/assay.yml": config})
    workflow.github.push(repository, "main")
    repository.git("checkout", "-q", "-B", "change", "main")
    workflow.head = repository.commit("Change", files)
    workflow.github.push(repository, "change")


def test_a_pull_request_is_validated_and_published(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    change(workflow, COMMANDS.format("false"), {"app.py": "x = 1\n"})
    assert all_steps(env_of(MODE="")) == 1
    assert "validated: " in capsys.readouterr().out
    check = workflow.check()
    assert check["conclusion"] == "failure"
    assert check["head_sha"] == workflow.head
    said = outputs(tmp_path)
    assert said["conclusion"] == "failure"
    assert json.loads(Path(said["report"]).read_text())["head"]["sha"] == workflow.head
    assert "false" in (tmp_path / "summary").read_text()
    assert len(workflow.github.labels(workflow.number)) == 1


@pytest.mark.soak
def test_a_job_that_publishes_runs_none_of_the_changes_commands(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path
):
    trap = tmp_path / "trap"
    change(workflow, ALONE.format(f"touch {trap}"), {"app.py": "x = 1\n"})
    assert all_steps(env_of(MODE="publish")) == 0
    assert not trap.exists()
    (said,) = [note for note in json.loads(Path(outputs(tmp_path)["report"]).read_text())["not_checked"]
               if note["what"] == OWN_COMMANDS]  # fmt: skip
    assert "not run" in said["why"]


def test_without_the_commands_scanners_run_once_and_no_check_replaces_them(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path
):
    change(workflow, "mode: enforce\n", {"app.py": "key = 'gh" + "p_Zk3Q9vXw7LmN2pR5tY8uB1cD4eF6gH0jK2lM'\n"})
    workflow.github.check(workflow.head, "unit tests", "success")
    assert all_steps(env_of(MODE="publish", TIERS="quality,risk")) == 1
    report = json.loads(Path(outputs(tmp_path)["report"]).read_text())
    assert [run["name"] for run in report["tiers"]["tools"]["runs"]] == ["semgrep", "bandit"]
    assert [one["rule"] for one in report["tiers"]["tools"]["findings"]] == ["hardcoded-token"]
    assert [one["why"] for one in report["not_checked"] if one["what"] == OWN_COMMANDS] == [NOT_REQUESTED]


@pytest.mark.soak
def test_a_job_that_publishes_reads_no_checkout(workflow: Workflow, env_of: Callable[..., Any]):
    checkout = str(workflow.repository.path)
    for mode, is_read in (("publish", False), ("", True)):
        env = env_of(MODE=mode) | {"GITHUB_WORKSPACE": checkout}
        assert steps.fetch(env) == 0
        (one,) = state.fetched_before(read_job(env))
        assert (str(one.repository) == checkout) == is_read


@pytest.mark.soak
def test_a_tools_job_leaves_what_the_commands_said_and_ends_well(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path
):
    change(workflow, COMMANDS.format("false"), {"app.py": "import os\nos.system(input())\n"})
    env = env_of({"contents": "read"}, MODE="tools") | {"GITHUB_JOB": "tools"}
    assert all_steps(env) == 0
    assert list(outputs(tmp_path)) == ["tools"]
    posted = read_posted(Path(outputs(tmp_path)["tools"]).read_bytes())
    assert posted.job == "tools"
    assert [(run.command, run.outcome) for run in posted.tools.runs] == [("false", Outcome.failed)]
    assert posted.tools.findings == ()
    assert workflow.checks() == []


@pytest.mark.soak
def test_a_token_that_may_only_read_is_no_failure(workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path):
    change(workflow, "mode: advisory\n", {"app.py": "x = 1\n"})
    assert all_steps(env_of(READING, **QUICK)) == 0
    assert [one for one in workflow.writes() if "git-upload-pack" not in one] == [
        f"POST /repos/{workflow.full_name}/check-runs"
    ]
    assert workflow.checks() == []
    assert outputs(tmp_path)["check-run-id"] == ""


def test_commits_that_cannot_be_had_are_said_on_the_check(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert all_steps(env_of(**QUICK, BASE_SHA="d" * 40)) == 3
    assert workflow.check()["conclusion"] == "failure"
    assert outputs(tmp_path)["incident"]
    assert BRANCH_GONE in capsys.readouterr().out


@pytest.mark.soak
def test_a_merge_group_gets_a_check_alone(workflow: Workflow, env_of: Callable[..., Any]):
    change(workflow, "mode: advisory\n", {"app.py": "x = 1\n"})
    ref = f"refs/heads/gh-readonly-queue/main/pr-{workflow.number}-{workflow.base}"
    env = env_of(**QUICK, EVENT="merge_group", PULL_NUMBER="", HEAD_REF=ref)
    assert all_steps(env) == 0
    assert workflow.check("group")["conclusion"] == "success"
    assert workflow.github.labels(workflow.number) == []


@pytest.mark.soak
def test_a_push_of_a_new_branch_is_validated_from_the_default_branch(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path
):
    change(workflow, "mode: advisory\n", {"app.py": "x = 1\n"})
    env = env_of(EVENT="push", PULL_NUMBER="", BASE_SHA="0" * 40, BASE_REF="", **QUICK)
    assert all_steps(env) == 0
    assert json.loads(Path(outputs(tmp_path)["report"]).read_text())["base"]["sha"] == workflow.base
    assert workflow.check("commit")["head_sha"] == workflow.head


@pytest.mark.soak
def test_what_was_fetched_has_to_be_what_the_event_names(workflow: Workflow, env_of: Callable[..., Any]):
    env = env_of(MODE="publish")
    assert steps.fetch(env) == 0
    with pytest.raises(Exception, match=r"action\.other-commits") as caught:
        steps.validate(env | {"ASSAY_ACTION_HEAD_SHA": "e" * 40})
    assert getattr(caught.value, "exit_code", None) == 3


@pytest.mark.soak
def test_a_report_about_another_commit_is_not_published_as_this_ones(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path
):
    env = env_of(**QUICK)

    def forged() -> None:
        path = read_job(env).work / "report-0.json"
        data = json.loads(path.read_text())
        path.write_text(json.dumps(data | {"head": data["head"] | {"sha": "e" * 40}, "conclusion": "success"}))

    assert all_steps(env, forged) == 3
    assert workflow.check()["conclusion"] == "failure"


def second_stage(
    workflow: Workflow, env_of: Callable[..., Any], number_of_pulls: int = 1
) -> tuple[dict[str, str], str]:
    """A fork's pull requests whose own run is over, and the environment of the run after it."""
    github = workflow.github
    fork = github.fork("mallory")
    repository = workflow.repository
    repository.git("checkout", "-q", "-B", "theirs", "main")
    head = repository.commit("Theirs", {"app.py": "x = 3\n"})
    github.push(repository, "theirs", repo=fork, by="mallory")
    github.open_pull("theirs", by="mallory", from_fork=fork)
    for place in range(1, number_of_pulls):
        repository.git("branch", "-f", f"base-{place}", "main")
        github.push(repository, f"base-{place}")
        github.open_pull("theirs", by="mallory", from_fork=fork, base=f"base-{place}")
    run_id = github.workflow_run(head, {}, event="pull_request", head_repo=fork)
    env = env_of(**QUICK, EVENT="workflow_run", SOURCE_RUN_ID=str(run_id), PULL_NUMBER="", HEAD_SHA="")
    return env, head


@pytest.mark.soak
def test_the_second_stage_publishes_for_a_fork(workflow: Workflow, env_of: Callable[..., Any]):
    env, head = second_stage(workflow, env_of)
    assert all_steps(env) == 0
    (check,) = workflow.github.check_runs(head, name="Assay")
    assert check["head_sha"] == head


@pytest.mark.soak
def test_a_commit_of_two_pull_requests_is_validated_for_each(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path
):
    env, head = second_stage(workflow, env_of, 2)
    assert all_steps(env) == 0
    checks = workflow.github.check_runs(head, name="Assay")
    assert len({check["external_id"] for check in checks}) == 2
    assert len(list((tmp_path / "work" / "report").glob("pull-*/report.json"))) == 2


def test_nothing_to_validate_is_no_failure(workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path):
    run_id = workflow.github.workflow_run(workflow.head, {}, event="push")
    env = env_of(**QUICK, EVENT="workflow_run", SOURCE_RUN_ID=str(run_id))
    assert all_steps(env) == 0
    assert NOTHING_TO_VALIDATE in (tmp_path / "summary").read_text()
    assert state.fetched_before(read_job(env)) == ()


def tools_of(outcome: Outcome, command: str = "pytest") -> dict[str, dict[str, str]]:
    """The artifact of a tools job, with one run in it."""
    run = ToolRun("pytest", ToolKind.test, command, "Makefile", outcome, Gate.strict, 1.0, outcome is Outcome.failed)
    return {"assay-tools": {"tools.json": body_of(ToolsResult((run,)), job="tools").decode()}}


@pytest.mark.soak
def test_what_the_tools_job_of_the_run_left_decides(workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path):
    change(workflow, "mode: enforce\n", {"app.py": "x = 1\n"})
    run_id = workflow.github.workflow_run(workflow.head, tools_of(Outcome.failed), event="pull_request")
    env = env_of(RUN_ID=str(run_id), MODE="publish", TIERS="tools")
    assert all_steps(env) == 1
    report = json.loads(Path(outputs(tmp_path)["report"]).read_text())
    assert report["tiers"]["tools"]["reported_by"] == REPORTED_BY
    assert workflow.check()["conclusion"] == "failure"


@pytest.mark.soak
def test_an_artifact_that_is_not_believed_is_a_line_and_no_crash(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path
):
    forged = {"assay-tools": {"tools.json": '{"version": 1, "risk": "low"}'}}
    run_id = workflow.github.workflow_run(workflow.head, forged, event="pull_request")
    assert all_steps(env_of(RUN_ID=str(run_id), MODE="publish", TIERS="tools")) == 3
    notes = json.loads(Path(outputs(tmp_path)["report"]).read_text())["not_checked"]
    (why,) = [note["why"] for note in notes if note["what"] == "results of the tools job"]
    assert "artifact.not-by-action" in why


@pytest.mark.soak
def test_an_app_that_cannot_be_told_changes_no_verdict(workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path):
    change(workflow, ALONE.format("true"), {"app.py": "x = 1\n"})
    assert all_steps(env_of(APP_URL="https://assay.example.com", TIERS="tools")) == 0
    summary = (tmp_path / "summary").read_text()
    assert "upload.no-identity-token" in summary
    assert workflow.checks() == []


@pytest.mark.system
def test_nothing_a_change_holds_is_a_command_to_the_runner(
    workflow: Workflow, env_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    config = COMMANDS.format("sh say.sh")
    evil = "x\n::error::owned\n##[add-mask]e\n::set-output name=conclusion::success"
    files = {
        "say.sh": "printf '::error::owned\\n##[error]owned\\n'; exit 1\n",
        "a\n::error::owned.py": f"import tempfile\nname = tempfile.mktemp()  # {evil!r}\n",
        "b::error::,line=1.py": f"import tempfile\nname = tempfile.mktemp()  # {evil!r}\n",
    }
    change(workflow, config, files)
    workflow.repository.git("commit", "--quiet", "--amend", "-m", evil)
    workflow.head = workflow.repository.git("rev-parse", "HEAD").strip()
    workflow.github.push(workflow.repository, "change")
    env = env_of(READING, HEAD_REF="x::error::owned") | {"GITHUB_ACTIONS": "true"}
    codes = []
    for step in ("fetch", "validate", "publish"):
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        if step == "validate":
            monkeypatch.delenv("ASSAY_ACTION_TOKEN")
        codes.append(run(["action", step]))
    assert codes == [0, 0, 1]
    said = capsys.readouterr()
    heard, word = [], ""
    for line in commands(said.out + said.err):
        if word:
            assert line == f"::{word}::", "our own lines are none even where nobody listens"
            word = ""
        elif line.startswith("::stop-commands::"):
            word = line.removeprefix("::stop-commands::")
        else:
            heard.append(line)
    assert heard
    assert all(re.match(r"::(error|warning|notice) file=", line) for line in heard)
    assert "##[" not in said.out + said.err


def test_a_wrong_input_is_one_line_and_exit_code_2(
    env_of: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    for name, value in env_of(FAIL_ON="##[error]x").items():
        monkeypatch.setenv(name, value)
    assert run(["action", "fetch"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("assay: action.invalid-input: ")
    assert "fail-on: '## [error]x' " in said
    assert said.count("\n") == 1


ON_A_COMMIT = {"PULL_NUMBER": "", "HEAD_REPOSITORY_ID": "", "HEAD_REF": ""}


@pytest.mark.soak
def test_a_commit_is_not_validated_against_itself(workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path):
    by_hand = {**ON_A_COMMIT, "EVENT": "workflow_dispatch", "BASE_SHA": "", "HEAD_SHA": workflow.base}
    with pytest.raises(ActionMisused, match=r"action\.base-is-head"):
        steps.fetch(env_of(**by_hand))
    assert workflow.github.check_runs(workflow.base) == []


@pytest.mark.parametrize("mode", ["publish", "tools"])
def test_a_new_branch_without_a_commit_of_its_own_is_no_change(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path, mode: str
):
    pushed = {**ON_A_COMMIT, "EVENT": "push", "BASE_SHA": "0" * 40, "HEAD_SHA": workflow.base, "HEAD_REF": "new"}
    assert all_steps(env_of(**pushed, MODE=mode)) == 0
    assert NOTHING_TO_VALIDATE in (tmp_path / "summary").read_text()
    assert workflow.github.check_runs(workflow.base) == []


def test_a_folder_that_cannot_be_used_is_told_before_anything_is_published(
    workflow: Workflow, env_of: Callable[..., Any]
):
    env = env_of(**QUICK)
    (Path(env["ASSAY_ACTION_WORK"]) / "report").write_text("x")
    for step in (steps.fetch, steps.publish):
        with pytest.raises(GithubAppError, match=r"action\.report-not-stored"):
            step(env)
    assert workflow.checks() == []


@pytest.mark.soak
@pytest.mark.parametrize(
    ("at_first", "later", "codes"),
    [("mode: stern\n", "mode: advisory\n", (2, 0)), ("mode: advisory\n", "mode: stern\n", (0, 2))],
)
def test_a_job_that_is_run_again_goes_by_the_configuration_at_the_tip(
    workflow: Workflow, env_of: Callable[..., Any], tmp_path: Path, at_first: str, later: str, codes: tuple[int, int]
):
    """GitHub gives another attempt the event of the first one, with the base as it was then."""
    change(workflow, at_first, {"app.py": "x = 1\n"})
    env = env_of(**QUICK)
    assert all_steps(env) == codes[0]
    workflow.repository.switch("main")
    workflow.repository.commit("Configure", {".github/assay.yml": later})
    workflow.github.push(workflow.repository, "main")
    for left in (tmp_path / "work").glob("*.json"):
        left.unlink()
    assert all_steps(env) == codes[1]


@pytest.mark.soak
def test_a_base_branch_that_is_gone_is_told(
    workflow: Workflow, env_of: Callable[..., Any], capsys: pytest.CaptureFixture[str]
):
    change(workflow, "mode: advisory\n", {"app.py": "x = 1\n"})
    assert all_steps(env_of(**QUICK, BASE_REF="gone")) == 0
    said = f"using the configuration of {workflow.base[:12]}: the branch gone no longer exists"
    assert said in capsys.readouterr().out


@pytest.mark.soak
def test_a_base_that_was_asked_for_brings_its_own_configuration(workflow: Workflow, env_of: Callable[..., Any]):
    change(workflow, "mode: advisory\n", {"app.py": "x = 1\n"})
    asked = workflow.base
    workflow.repository.switch("main")
    workflow.repository.commit("Configure", {".github/assay.yml": "mode: stern\n"})
    workflow.github.push(workflow.repository, "main")
    assert all_steps(env_of(**QUICK, BASE=asked)) == 0
