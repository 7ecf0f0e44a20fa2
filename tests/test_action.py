"""action.yml and its scripts: what they find on a machine, and what each step is told of the job."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.tables import read_yaml

ACTION = read_yaml(ROOT / "action.yml")
OF_MEMORY = read_yaml(ROOT / "memory/action.yml")
BOTH = pytest.mark.parametrize("action", [ACTION, OF_MEMORY], ids=["action", "memory"])


def steps_of(action: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The steps of an action that have an id."""
    return {step["id"]: step for step in action["runs"]["steps"] if "id" in step}


STEPS = steps_of(ACTION)
SCRIPTS = ROOT / ".github/action"


class Done:
    """One of the scripts, run: its exit code, what it said, its outputs and its page."""

    def __init__(self, job: Job, script: str, *arguments: str, env: dict[str, str]) -> None:
        output = job.temp / "output"
        output.write_text("")
        told = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(job.temp / "summary"), **job.env, **env}
        done = subprocess.run(
            ["bash", str(job.scripts / script), *arguments], env=told, capture_output=True, text=True, check=False
        )
        self.code, self.said, self.stdout = done.returncode, done.stderr, done.stdout
        self.lines = [line for line in done.stdout.splitlines() if line.startswith("assay: ")]
        self.outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())


class Job:
    """A job of a workflow, as far as the scripts see it."""

    def __init__(self, folder: Path) -> None:
        self.temp, self.workspace, self.scripts = folder / "temp", folder / "workspace", SCRIPTS
        self.house = self.temp / "house"
        (self.house / "work").mkdir(parents=True)
        self.workspace.mkdir()
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_WORKSPACE": str(self.workspace),
        }

    def run(self, script: str, *arguments: str, **env: str) -> Done:
        """Run one of the scripts."""
        return Done(self, script, *arguments, env=env)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A job with nothing in its workspace."""
    return Job(tmp_path)


# ------------------------------------------------------------------ action.yml


@BOTH
def test_every_input_and_output_is_described_and_the_inputs_are_few(action: dict[str, Any]):
    for name, facts in {**action["inputs"], **action["outputs"]}.items():
        assert facts["description"].strip(), name
    assert len(action["inputs"]) <= 11
    assert action["branding"]["icon"]


@pytest.mark.parametrize(
    ("action", "token", "key"),
    [(ACTION, ["fetch", "publish"], ["validate"]), (OF_MEMORY, ["report"], ["examine"])],
    ids=["action", "memory"],
)
def test_only_the_steps_that_speak_to_github_have_the_token(action: dict[str, Any], token: list[str], key: list[str]):
    told = {name: str(step.get("env", {})) for name, step in steps_of(action).items()}
    assert [name for name, env in told.items() if "token" in env] == token
    assert [name for name, env in told.items() if "model-key" in env] == key


def test_each_step_is_told_by_expressions_who_and_what_is_validated():
    told = [
        {name: value for name, value in STEPS[step]["env"].items() if value.startswith(("${{ inputs.", "${{ github."))}
        for step in ("fetch", "validate", "publish")
    ]
    for one in told:
        one.pop("ASSAY_ACTION_TOKEN", None)
        one.pop("ANTHROPIC_API_KEY", None)
    assert told[0] == told[1] == told[2]
    every = {f"ASSAY_ACTION_{name.upper().replace('-', '_')}" for name in ACTION["inputs"]}
    assert every - set(told[0]) == {"ASSAY_ACTION_MODEL_KEY", "ASSAY_ACTION_TOKEN"}


def test_each_input_of_the_memory_action_reaches_a_step():
    told = {name for step in steps_of(OF_MEMORY).values() for name in step.get("env", {})}
    every = {f"ASSAY_ACTION_{name.upper().replace('-', '_')}" for name in OF_MEMORY["inputs"]}
    assert every - told == {"ASSAY_ACTION_MODEL_KEY"}


@pytest.mark.parametrize(("action", "mode"), [(ACTION, "publish"), (OF_MEMORY, "report")], ids=["action", "memory"])
def test_a_job_that_publishes_takes_nothing_from_a_cache(action: dict[str, Any], mode: str):
    assert f"inputs.mode != '{mode}'" in steps_of(action)["cache"]["if"]
    (keep,) = [step for step in action["runs"]["steps"] if "cache/save@" in step.get("uses", "")]
    assert "steps.cache.outcome == 'success'" in keep["if"]


# ------------------------------------------------------------------ prepare


def test_a_python_and_a_folder_are_found_and_nothing_is_left_for_later_steps(job: Job):
    done = job.run("prepare.sh", GITHUB_ENV=str(job.temp / "env"), GITHUB_PATH=str(job.temp / "path"))
    assert done.code == 0, done.said
    assert (Path(done.outputs["house"]) / "work").is_dir()
    assert Path(done.outputs["python"]).is_file()
    assert done.outputs["key"].startswith("assay-wheelhouse-")
    assert not (job.temp / "env").exists()
    assert not (job.temp / "path").exists()


def test_a_python_in_the_workspace_is_never_run(job: Job):
    planted = job.workspace / "bin/python3.13"
    planted.parent.mkdir()
    planted.write_text(f"#!/bin/sh\ntouch {job.temp}/ran\n")
    planted.chmod(0o755)
    done = job.run("prepare.sh", PATH=f"{planted.parent}:{os.environ['PATH']}")
    assert done.code == 0
    assert done.outputs["python"] != str(planted)
    assert not (job.temp / "ran").exists()


def test_without_a_python_one_line_says_what_to_add(job: Job, tmp_path: Path):
    few = tmp_path / "few"
    few.mkdir()
    for name in ("bash", "dirname", "mktemp", "mkdir"):
        (few / name).symlink_to(subprocess.check_output(["which", name], text=True).strip())
    done = job.run("prepare.sh", PATH=str(few))
    assert done.code == 3
    assert len(done.lines) == 1
    assert "actions/setup-python" in done.lines[0]


def test_windows_is_refused_in_one_line(job: Job):
    done = job.run("prepare.sh", RUNNER_OS="Windows")
    assert done.code == 2
    assert done.lines == [
        "assay: the Action runs on Linux and macOS runners, not on Windows; give the job another runs-on"
    ]


def test_an_assay_of_the_machine_is_used_as_it_is(job: Job, tmp_path: Path):
    home = tmp_path / "home/bin"
    home.mkdir(parents=True)
    assert job.run("prepare.sh", ASSAY_HOME=str(home.parent)).code == 2
    (home / "assay").write_text('#!/bin/sh\necho "$@"\n')
    (home / "assay").chmod(0o755)
    done = job.run("prepare.sh", ASSAY_HOME=str(home.parent))
    assert set(done.outputs) == {"house"}
    fetched = job.run("run.sh", "fetch", ASSAY_HOME=str(home.parent), ASSAY_ACTION_HOUSE=done.outputs["house"])
    assert "action fetch" in fetched.stdout


# ------------------------------------------------------------------ the steps


@pytest.fixture
def told(job: Job) -> Callable[..., Done]:
    """Run a step whose program is a shell script of the test's."""

    def run_step(step: str, program: str, **env: str) -> Done:
        path = job.temp / "assay"
        path.write_text(f"#!/usr/bin/env bash\n{program}\n")
        path.chmod(0o755)
        more = {"ASSAY_ACTION_ASSAY": str(path), "ASSAY_ACTION_HOUSE": str(job.house), **env}
        return job.run("run.sh", step, **more)

    return run_step


SECRETS = {
    "ASSAY_ACTION_TOKEN": "s3cret",
    "GITHUB_TOKEN": "s3cret",
    "GH_TOKEN": "s3cret",
    "ACTIONS_RUNTIME_TOKEN": "s3cret",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "s3cret",
    "ACTIONS_ID_TOKEN_REQUEST_URL": "http://s3cret",
}
EXAM = {"ASSAY_ACTION_MODE": "examine", "ASSAY_ACTION_EXAMS": "9"}
SPEAKING = ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY")


def test_where_the_changes_commands_run_there_is_no_credential_and_no_way_to_the_runner(told: Callable[..., Done]):
    # Of the shells above it too, as far as they are ours.
    looking = "env; cat /proc/$PPID/environ /proc/$(ps -o ppid= -p $PPID | tr -d ' ')/environ | tr '\\0' '\\n'"
    done = told("validate", looking, **SECRETS, **dict.fromkeys(SPEAKING[:2], "/x"), KEPT="yes")
    assert done.code == 0
    assert "s3cret" not in done.stdout
    assert [name for name in SPEAKING if f"{name}=" in done.stdout] == []
    assert "KEPT=yes" in done.stdout
    assert "PYTHONSAFEPATH=1" in done.stdout


def test_an_agent_may_import_what_lies_beside_it_and_assay_nothing_of_the_workspace(told: Callable[..., Done]):
    done = told("examine", 'env; echo asked "$@"', **EXAM, ASSAY_ACTION_ADAPTER="subprocess:python agent.py")
    assert done.code == 0, done.said
    assert "PYTHONSAFEPATH" not in done.stdout
    assert "asked memory run --seed 9 --adapter subprocess:python agent.py" in done.stdout


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--fail-under 0.5", "--fail-under has an input of its own, fail-under, with mode: report"),
        ("--python-path . --fail-under=0.5", "--fail-under has an input of its own"),
        ("--python-path .\n--seed=7\n", "--seed has an input of its own, exams"),
        ("--adapter http", "--adapter has an input of its own, adapter"),
        ("--output-dir out", "--output-dir is the Action's own; the input artifact names where the reports are kept"),
    ],
)
def test_an_option_that_has_an_input_of_its_own_is_one_clear_line(
    told: Callable[..., Done], job: Job, options: str, said: str
):
    done = told("examine", f"touch {job.temp}/ran", **EXAM, ASSAY_ACTION_OPTIONS=options)
    assert done.code == 2
    assert not (job.temp / "ran").exists()
    ended = told("examined", "false", ASSAY_ACTION_STOPPED="examine")
    assert (ended.code, ended.outputs["conclusion"]) == (2, "misconfigured")
    assert f"assay: input options: {said}" in ended.stdout


@pytest.mark.parametrize(
    ("exam", "snapshot", "options"),
    [("-7", "", "--seed -7"), ("secret-2", "", ""), ("42", "kept", "--seed 42 --load-memory kept --skip-learning")],
)
def test_a_number_is_a_seed_and_any_other_exam_is_secret(
    told: Callable[..., Done], exam: str, snapshot: str, options: str
):
    done = told("examine", 'echo asked "$@"', **EXAM | {"ASSAY_ACTION_EXAMS": exam}, ASSAY_ACTION_SNAPSHOT=snapshot)
    assert done.code == 0, done.said
    assert " ".join(f"asked memory run {options}".split()) in done.stdout
    assert ("--seed" in done.stdout) == ("--seed" in options)


@pytest.mark.parametrize(("exam", "snapshot"), [("", ""), ("secret", ""), ("4 --seed 5", ""), ("secret-1", "kept")])
def test_a_wrong_exam_is_one_clear_line(told: Callable[..., Done], job: Job, exam: str, snapshot: str):
    env = EXAM | {"ASSAY_ACTION_EXAMS": exam, "ASSAY_ACTION_SNAPSHOT": snapshot}
    done = told("examine", f"touch {job.temp}/ran", **env)
    assert done.code == 2
    assert not (job.temp / "ran").exists()
    ended = told("examined", "false", ASSAY_ACTION_STOPPED="examine")
    assert "assay: input exams: " in ended.stdout


def test_further_options_reach_the_examination_as_they_are(told: Callable[..., Done]):
    options = "--python-path . --env=SEED\n--grading hybrid *"
    done = told("examine", 'echo asked "$@"', **EXAM, ASSAY_ACTION_OPTIONS=options)
    assert "--seed 9 --python-path . --env=SEED --grading hybrid * --output-dir" in done.stdout


def test_where_the_changes_commands_run_there_is_no_key_of_a_model_either(told: Callable[..., Done]):
    looking = "env; cat /proc/$PPID/environ /proc/$(ps -o ppid= -p $PPID | tr -d ' ')/environ | tr '\\0' '\\n'"
    assert "s3cret" not in told("validate", looking, ANTHROPIC_API_KEY="s3cret").stdout
    kept = told("validate", looking, ANTHROPIC_API_KEY="s3cret", ASSAY_ACTION_MODE="publish")
    assert "ANTHROPIC_API_KEY=s3cret" in kept.stdout


def test_the_key_of_the_model_that_grades_comes_by_a_pipe_and_stands_in_no_environment(told: Callable[..., Done]):
    looking = "env; cat /proc/$PPID/environ /proc/$(ps -o ppid= -p $PPID | tr -d ' ')/environ | tr '\\0' '\\n'"
    done = told("examine", looking, **EXAM, ANTHROPIC_API_KEY="s3cret")
    assert "s3cret" not in done.stdout
    assert "ASSAY_MODEL_KEY_FD=9" in done.stdout
    assert "got s3cret" in told("examine", 'echo "got $(cat <&9)"', **EXAM, ANTHROPIC_API_KEY="s3cret").stdout
    assert "ASSAY_MODEL_KEY_FD" not in told("examine", "env", **EXAM).stdout


@pytest.mark.parametrize(
    ("step", "env"), [("fetch", {}), ("publish", {}), ("validate", {"ASSAY_ACTION_MODE": "publish"})]
)
def test_a_program_in_the_workspace_is_never_run_where_there_are_rights(
    told: Callable[..., Done], job: Job, step: str, env: dict[str, str]
):
    # A project's own programs are often on PATH, such as its .venv/bin; a change can bring a git there.
    planted = job.workspace / ".venv/bin"
    planted.mkdir(parents=True)
    for name in ("git", "tee", "od", "tr", "grep", "cat"):
        (planted / name).write_text(f'#!/bin/sh\ntouch {job.temp}/ran-{name}\nexec /usr/bin/{name} "$@"\n')
        (planted / name).chmod(0o755)
    beside = job.temp / "programs"
    beside.symlink_to(planted)
    path = f"{planted}:{job.workspace}/../workspace/.venv/bin:{beside}:.venv/bin::{os.environ['PATH']}"
    done = told(step, "git --version; exit 3", PATH=path, **SECRETS, **env)
    assert done.code == 3
    assert list(job.temp.glob("ran-*")) == []


def test_the_changes_commands_find_the_programs_the_workflow_put_on_path(told: Callable[..., Done], job: Job):
    assert f"{job.workspace}/bin:" in told("validate", "env", PATH=f"{job.workspace}/bin:{os.environ['PATH']}").stdout


@pytest.mark.parametrize("step", ["fetch", "validate", "publish"])
def test_what_is_remembered_is_this_jobs_alone(told: Callable[..., Done], job: Job, step: str):
    assert f"XDG_CACHE_HOME={job.house}/cache" in told(step, "env", XDG_CACHE_HOME="/home/x").stdout


def test_the_step_that_fetches_has_the_token_and_no_identity(told: Callable[..., Done]):
    done = told("fetch", "env", **SECRETS)
    assert "ASSAY_ACTION_TOKEN=s3cret" in done.stdout
    assert "ACTIONS_" not in done.stdout


def test_the_step_that_publishes_may_say_who_it_is(told: Callable[..., Done]):
    assert "ACTIONS_ID_TOKEN_REQUEST_TOKEN=s3cret" in told("publish", "env", **SECRETS).stdout


@pytest.mark.parametrize("step", ["fetch", "validate"])
def test_the_runner_takes_no_commands_from_what_is_printed_before_the_verdict(told: Callable[..., Done], step: str):
    done = told(step, "echo '::error::not ours'")
    first, *_, last = done.stdout.split()
    word = first.removeprefix("::stop-commands::")
    assert len(word) == 32
    assert last == f"::{word}::"
    assert f"::stop-commands::{word}" not in told(step, "true").stdout


def test_no_step_works_in_the_workspace(told: Callable[..., Done], job: Job):
    for step in ("fetch", "validate", "publish"):
        assert str(job.house) in told(step, "pwd").stdout.splitlines()


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_the_actions_exit_code_is_that_of_the_last_step(told: Callable[..., Done], code: int):
    assert told("publish", f'echo conclusion=x >>"$GITHUB_OUTPUT"; exit {code}').code == code


@pytest.mark.parametrize(
    ("step", "code", "conclusion"),
    [("fetch", 2, "misconfigured"), ("validate", 3, "could_not_run"), ("validate", 139, "could_not_run")],
)
def test_a_step_that_stops_is_told_by_the_last_one_which_ends_alike(
    told: Callable[..., Done], job: Job, step: str, code: int, conclusion: str
):
    assert told(step, f"echo 'assay: input x: 100% wrong' >&2; exit {code}").code == code
    done = told("publish", "echo must not run; exit 0", ASSAY_ACTION_STOPPED=step)
    assert done.code == (2 if code == 2 else 3)
    assert "must not run" not in done.stdout
    assert done.outputs == {"conclusion": conclusion, "title": "Assay came to no verdict"}
    assert "    input x: 100% wrong\n" in (job.temp / "summary").read_text()
    assert "::error title=Assay::input x: 100%25 wrong\n" in done.stdout


def test_the_words_of_a_step_that_stopped_are_no_command(told: Callable[..., Done]):
    told("validate", "echo 'assay: it said ##[add-mask]e, 100%25 %0A::error::x' >&2; exit 3")
    done = told("publish", "true", ASSAY_ACTION_STOPPED="validate")
    assert "##[" not in done.stdout + done.said
    assert [line for line in (done.stdout + done.said).splitlines() if line.startswith("::")] == [
        "::error title=Assay::it said ## [add-mask]e, 100%2525 %250A::error::x"
    ]


def test_a_last_step_that_ends_without_a_word_is_told_too(told: Callable[..., Done]):
    done = told("publish", "echo 'assay: GitHub is down' >&2; exit 3")
    assert done.code == 3
    assert done.outputs["conclusion"] == "could_not_run"
    assert "::error title=Assay::GitHub is down" in done.stdout
    assert done.said == "", "a runner may read another stream late, when it takes commands again"
