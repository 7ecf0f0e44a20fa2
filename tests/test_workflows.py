"""Our workflows and action.yml: checked by the linters of their field, and for what no linter knows that we promise."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT

BIN = Path(sys.executable).parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTION = ROOT / "action.yml"
ASSAY = "${{ job.workflow_repository || 'not known on Enterprise Server' }}"
BASE_OR_CALLED = (
    "${{ job.workflow_repository == github.repository && (github.event.pull_request.base.sha || "
    "github.event.merge_group.base_sha) || job.workflow_sha }}"
)
RIGHTS = {"contents": "read", "checks": "write", "pull-requests": "write", "actions": "read"}
"""What the publishing job is granted by whoever calls it, as docs/action/permissions.md tells."""


def read(path: Path) -> dict[str, Any]:
    """A workflow or action; `on` stays `on` (to YAML it is a word for true)."""
    found: dict[str, Any] = yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)
    return found


def jobs(path: Path) -> dict[str, Any]:
    """The jobs of a workflow by their ids."""
    found: dict[str, Any] = read(path)["jobs"]
    return found


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each step of every workflow and of action.yml, with where it is."""
    for path in WORKFLOWS:
        for name, job in jobs(path).items():
            yield from ((f"{path.name}: {name}", step) for step in job.get("steps", []))
    yield from (("action.yml", step) for step in read(ACTION)["runs"]["steps"])


def run(*command: str) -> str:
    """What a linter says, and nothing if it is pleased."""
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


# ------------------------------------------------------------------ the linters


def test_zizmor_at_its_strictest_finds_nothing():
    assert run(str(BIN / "zizmor"), "--persona=pedantic", "--offline", "--quiet", ".github", "action.yml") == ""


def test_every_finding_that_is_waved_through_says_why():
    for path in (*WORKFLOWS, ACTION):
        for rest in re.findall(r"zizmor: ignore\[[a-z-]+\](.*)", path.read_text("utf-8")):
            assert len(rest.split()) >= 3, f"{path.name}: {rest}"


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-workflows", WORKFLOWS),
        ("vendor.github-actions", [ACTION]),
        ("vendor.dependabot", [ROOT / ".github/dependabot.yml"]),
    ],
    ids=["workflows", "action", "dependabot"],
)
def test_they_keep_to_githubs_schema(schema: str, files: list[Path]):
    assert run(str(BIN / "check-jsonschema"), "--builtin-schema", schema, *map(str, files)) == ""


def test_shellcheck_finds_nothing_in_what_they_run():
    scripts = sorted((ROOT / ".github/action").glob("*.sh"))
    assert len(scripts) == 4
    assert run(str(BIN / "shellcheck"), *map(str, scripts)) == ""


def test_shellcheck_finds_nothing_in_the_lines_they_hold(tmp_path: Path):
    for number, (_, step) in enumerate(steps()):
        if "run" in step:
            # As the runner starts them.
            (tmp_path / f"{number}.sh").write_text(f"set -eo pipefail\n{step['run']}")
    assert run(str(BIN / "shellcheck"), "--shell=bash", *map(str, sorted(tmp_path.iterdir()))) == ""


# ------------------------------------------------------------------ what is used


def test_what_others_wrote_is_named_by_a_commit_and_its_version():
    for path in (*WORKFLOWS, ACTION):
        for line in re.findall(r"uses: (.+)", path.read_text("utf-8")):
            if not line.startswith("./"):
                assert re.fullmatch(r"[\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), f"{path.name}: {line}"


def test_the_same_action_is_the_same_commit_everywhere():
    used: dict[str, set[str]] = {}
    for path in (*WORKFLOWS, ACTION):
        for name, ref in re.findall(r"uses: ([\w-]+/[\w-]+)[\w/-]*@(.+)", path.read_text("utf-8")):
            used.setdefault(name, set()).add(ref)
    assert {name: refs for name, refs in used.items() if len(refs) > 1} == {}


def test_no_text_of_anybody_becomes_part_of_a_command():
    assert [where for where, step in steps() if "${{" in step.get("run", "")] == []


def test_a_checkout_leaves_no_token_behind():
    for where, step in steps():
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] == "false", where


@pytest.mark.soak
def test_inputs_that_are_read_are_declared():
    for path in (*WORKFLOWS, ACTION):
        text = path.read_text("utf-8")
        declared = (read(path)["on"] or {}).get("workflow_call", {}) if path != ACTION else read(path)
        assert set(re.findall(r"inputs\.([\w-]+)", text)) <= set(declared.get("inputs", {})), path.name


def test_what_is_handed_to_the_action_it_takes():
    takes = set(read(ACTION)["inputs"])
    for where, step in steps():
        if step.get("uses") == "./.assay-action":
            assert set(step["with"]) <= takes, where


# ------------------------------------------------------------------ rights


def test_nothing_starts_with_rights_at_a_strangers_word():
    for path in WORKFLOWS:
        assert "pull_request_target" not in path.read_text("utf-8"), path.name


def test_a_run_after_a_strangers_run_checks_out_nothing_of_it():
    started = [path for path in WORKFLOWS if "workflow_run" in read(path)["on"]]
    assert [path.name for path in started] == ["assay-report.yml"]
    (job,) = jobs(started[0]).values()
    assert job["uses"] == "./.github/workflows/report.yml"
    (job,) = jobs(ROOT / ".github/workflows/report.yml").values()
    assert_runs_nothing_of_the_change(job["steps"])


def assert_runs_nothing_of_the_change(of_a_job: list[dict[str, Any]]) -> None:
    """Two steps: Assay itself is checked out, and publishes."""
    checkout, action = of_a_job
    assert checkout["with"] == {
        "repository": ASSAY,
        "ref": checkout["with"]["ref"],
        "path": ".assay-action",
        "persist-credentials": "false",
    }
    assert action["uses"] == "./.assay-action"
    assert action["with"]["mode"] == "publish"


def test_the_job_that_runs_the_changes_code_may_read_and_no_more():
    tools = jobs(ROOT / ".github/workflows/validate.yml")["tools"]
    assert tools["permissions"] == {"contents": "read"}
    assert "secrets." not in str(tools)
    assert tools["steps"][-1]["with"]["mode"] == "tools"


def test_the_job_that_runs_the_changes_code_takes_assay_last_and_clears_its_place_before():
    of_a_job = jobs(ROOT / ".github/workflows/validate.yml")["tools"]["steps"]
    change, clear, assay = of_a_job[:3]
    assert "path" not in change["with"]
    assert clear["run"] == "rm -rf .assay-action"
    assert assay["with"]["path"] == ".assay-action"


def test_the_job_that_publishes_runs_none_of_the_changes_code():
    publish = jobs(ROOT / ".github/workflows/validate.yml")["publish"]
    assert_runs_nothing_of_the_change(publish["steps"])
    assert publish["needs"] == "tools"
    assert "!cancelled()" in publish["if"]
    assert publish["concurrency"]["cancel-in-progress"] == "false"


def test_another_base_branch_is_judged_anew_and_another_title_is_not():
    started = read(ROOT / ".github/workflows/assay.yml")
    assert "edited" in started["on"]["pull_request"]["types"]
    is_title = "github.event.action == 'edited' && !github.event.changes.base"
    group = read(ROOT / ".github/workflows/validate.yml")["concurrency"]["group"]
    assert group.startswith(f"assay-validate-${{{{ {is_title} && github.run_id || ")
    for job in jobs(ROOT / ".github/workflows/validate.yml").values():
        assert "(github.event.action != 'edited' || github.event.changes.base)" in job["if"]
    (report,) = jobs(ROOT / ".github/workflows/report.yml").values()
    assert "github.event.workflow_run.conclusion != 'skipped'" in report["if"]


def test_every_job_says_what_it_may_but_for_those_that_have_their_callers_rights():
    silent = []
    for path in WORKFLOWS:
        workflow = read(path)
        is_called = set(workflow["on"]) == {"workflow_call"}
        assert is_called or workflow["permissions"] == {}, path.name
        silent += [f"{path.stem}: {name}" for name, job in workflow["jobs"].items() if "permissions" not in job]
    assert silent == ["memory-eval: report", "report: publish", "validate: publish"]


def test_who_calls_them_here_grants_what_publishing_needs_and_no_more():
    for name in ("assay", "assay-report"):
        (job,) = jobs(ROOT / f".github/workflows/{name}.yml").values()
        assert job["permissions"] == RIGHTS


def test_a_called_workflow_never_takes_assay_from_its_caller():
    # actions/checkout takes an empty repository for the caller's, whose action.yml would then run with its rights.
    taken = {
        (path.stem, step["with"]["repository"], step["with"]["ref"])
        for path in WORKFLOWS
        for job in jobs(path).values()
        for step in job.get("steps", [])
        if (step.get("with") or {}).get("path") == ".assay-action"
    }
    assert taken == {
        ("validate", ASSAY, BASE_OR_CALLED),
        ("report", ASSAY, "${{ job.workflow_sha }}"),
        ("memory-eval", ASSAY, "${{ job.workflow_sha }}"),
    }


def test_a_called_workflow_has_ten_inputs_at_most():
    called = [path for path in WORKFLOWS if "workflow_call" in read(path)["on"]]
    assert len(called) == 3
    assert max(len(read(path)["on"]["workflow_call"]["inputs"]) for path in called) <= 10


# ------------------------------------------------------------------ releases


def test_a_job_of_a_release_writes_to_one_place_at_most():
    release = jobs(ROOT / ".github/workflows/release.yml")
    may_write = {
        name: [on for on, level in job["permissions"].items() if level == "write"] for name, job in release.items()
    }
    assert may_write == {
        "build": [],
        "image": ["packages"],
        "attest": ["id-token", "attestations"],
        "publish": ["contents"],
    }


def test_the_job_that_may_write_to_the_repository_has_none_of_its_code():
    publish = jobs(ROOT / ".github/workflows/release.yml")["publish"]
    assert [step for step in publish["steps"] if "uses" in step] == []


@pytest.mark.parametrize(("tag", "moves"), [("v1.10.0", True), ("v1.9.1", False)])
def test_the_moving_tag_never_goes_back(tmp_path: Path, tag: str, moves: bool):
    (step,) = [
        one
        for one in jobs(ROOT / ".github/workflows/release.yml")["publish"]["steps"]
        if one["name"] == "Move the major tag"
    ]
    gh = tmp_path / "gh"
    gh.write_text(
        '#!/bin/sh\ncase "$*" in\n*matching-refs*) printf "v1.10.0\\nv1.9.1\\nv1.11.0-evil\\nv1.9.0\\n" ;;\n'
        f'*) echo "$@" >>{tmp_path}/asked ;;\nesac\n'
    )
    gh.chmod(0o755)
    told = {"TAG": tag, "GH_REPO": "acme/assay", "GITHUB_SHA": "a" * 40, "PATH": f"{tmp_path}:/usr/bin:/bin"}
    subprocess.run(["bash", "-eo", "pipefail", "-c", step["run"]], env=told, check=True)
    asked = (tmp_path / "asked").read_text() if (tmp_path / "asked").exists() else ""
    assert ("refs/tags/v1 " in asked) == moves


def test_only_full_versions_are_released_so_that_the_moving_tag_is_not():
    (pattern,) = read(ROOT / ".github/workflows/release.yml")["on"]["push"]["tags"]
    assert pattern == "v[0-9]+.[0-9]+.[0-9]+"
