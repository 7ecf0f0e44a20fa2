"""The Action's pages: every workflow on them can be copied; their tables are what action.yml and workflows say."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from assay.cli.config import config_command
from assay.github_app.ops.settings import Settings
from tests.conftest import ROOT

BIN = Path(sys.executable).parent
PAGES = sorted((ROOT / "docs/action").glob("*.md"))
INDEX = (ROOT / "docs/action/index.md").read_text("utf-8")
PIN = "0123456789abcdef0123456789abcdef01234567"
CALLED = {name: ROOT / ".github/workflows" / name for name in ("validate.yml", "report.yml", "memory-eval.yml")}
OURS = re.compile(r"OWNER/assay(?:/\.github/workflows/(?P<file>[a-z-]+\.yml)|/(?P<folder>memory))?@(?P<ref>\S+)")


@dataclass(frozen=True)
class Block:
    """One file that a page tells to copy."""

    page: str
    number: int
    text: str

    def __str__(self) -> str:
        return f"{self.page}-{self.number}"

    @property
    def place(self) -> str:
        """Where it is to be put, as its first line says."""
        first = self.text.splitlines()[0]
        assert first.startswith("# .github/"), f"{self}: the first line says where the file goes"
        return first.removeprefix("# ")

    @property
    def data(self) -> dict[str, Any]:
        return dict(yaml.load(self.text, _Plain))

    def jobs(self) -> Iterator[dict[str, Any]]:
        yield from self.data["jobs"].values()


class _Plain(yaml.SafeLoader):
    """YAML as GitHub reads it: `on` is a word."""


_Plain.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool" or first not in "oOyYnN"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def blocks() -> list[Block]:
    found = []
    for page in PAGES:
        texts = re.findall(r"^```yaml\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        found += [Block(page.stem, number, text) for number, text in enumerate(texts, 1)]
    return found


BLOCKS = blocks()
WORKFLOWS = [block for block in BLOCKS if block.place.startswith(".github/workflows/")]
SETTINGS = [block for block in BLOCKS if block not in WORKFLOWS]


@cache
def read(path: Path) -> Any:
    return yaml.load(path.read_text("utf-8"), _Plain)


def inputs_of(uses: re.Match[str]) -> dict[str, Any]:
    """The inputs of what a line `uses:` names."""
    if uses["file"] is None:
        return dict(read(ROOT / (uses["folder"] or ".") / "action.yml")["inputs"])
    return dict(read(CALLED[uses["file"]])["on"]["workflow_call"]["inputs"])


# ------------------------------------------------------------------ what can be copied


def test_there_is_something_to_copy():
    assert len(WORKFLOWS) > 10
    assert {block.page for block in WORKFLOWS} >= {"index", "workflows", "reporting-to-the-app", "enterprise-server"}


def test_every_workflow_keeps_to_githubs_schema(tmp_path: Path):
    files = _written(tmp_path)
    done = _ran("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *files)
    assert done.returncode == 0, done.stdout


def test_every_workflow_pleases_zizmor_at_its_strictest(tmp_path: Path):
    done = _ran("zizmor", "--persona=pedantic", "--offline", "--no-progress", "--no-config", *_written(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No findings to report" in done.stdout


@pytest.mark.parametrize("block", WORKFLOWS, ids=str)
def test_no_workflow_gives_a_strangers_change_the_repositorys_rights(block: Block):
    assert "pull_request_target" not in block.text
    assert block.data["permissions"] == {}
    for job in block.jobs():
        writes = [name for name, level in job["permissions"].items() if level == "write"]
        runs_tools = [step for step in job.get("steps", ()) if (step.get("with") or {}).get("mode") == "tools"]
        assert not (writes and runs_tools), "the job that runs the change's commands may only read"
        if "workflow_run" in block.data["on"]:
            assert job["uses"].startswith("OWNER/assay/.github/workflows/report.yml@")


@pytest.mark.parametrize("block", WORKFLOWS, ids=str)
def test_every_use_of_assay_is_pinned_and_gives_only_inputs_that_exist(block: Block):
    num_uses = 0
    for job in block.jobs():
        for one in [job, *job.get("steps", ())]:
            if not (match := re.match(OURS, one.get("uses", ""))):
                continue
            num_uses += 1
            assert match["ref"] == PIN
            assert set(one.get("with") or {}) <= set(inputs_of(match))
            assert set(one.get("secrets") or {}) <= {"model-key"}
    assert num_uses > 0
    assert block.text.count(f"{PIN} # v1") == num_uses


@pytest.mark.parametrize("block", WORKFLOWS, ids=str)
def test_what_publishes_is_granted_what_it_needs(block: Block):
    for job in block.jobs():
        ours = [step for step in [job, *job.get("steps", ())] if "/assay" in step.get("uses", "")]
        for step in ours:
            granted, given = job["permissions"], step.get("with") or {}
            assert granted["contents"] == "read"
            if "memory-eval.yml" in step["uses"]:
                posting = {"id-token": "write"} if "app-url" in given else {}
                assert granted == {"contents": "read", "actions": "read", "issues": "write"} | posting
                continue
            posts = "app-url" in given
            assert (granted.get("id-token") == "write") is posts
            if given.get("mode") == "tools":
                assert granted == {"contents": "read"}
                continue
            assert (granted.get("checks") == "write") is not posts
            assert (granted.get("security-events") == "write") is (given.get("sarif") == "upload")
            if {"pull_request", "workflow_run"} & set(block.data["on"]) and not posts:
                assert granted["pull-requests"] == "write"
            if "workflow_run" in block.data["on"]:
                assert {"actions", "checks", "pull-requests"} <= set(granted), "whom it is for is asked of GitHub"
            hands_over = "workflows/" in step["uses"] and given.get("tiers") != "quality,risk"
            assert not hands_over or granted["actions"] == "read"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_second_stage_waits_for_a_first_one_of_the_same_page(page: Path):
    ours = [block.data for block in WORKFLOWS if block.page == page.stem]
    names = {data["name"] for data in ours}
    waited = [name for data in ours if "workflow_run" in data["on"] for name in data["on"]["workflow_run"]["workflows"]]
    assert set(waited) <= names


@pytest.mark.parametrize("block", SETTINGS, ids=str)
def test_every_configuration_on_a_page_is_a_right_one(block: Block, tmp_path: Path):
    file = tmp_path / "assay.yml"
    file.write_text(block.text)
    done = CliRunner().invoke(config_command, ["check", str(file)])
    assert block.place == ".github/assay.yml"
    assert done.exit_code == 0, done.output


def test_the_line_for_the_apps_operator_is_one_its_settings_take():
    page = (ROOT / "docs/action/reporting-to-the-app.md").read_text("utf-8")
    lines = re.findall(r'^ASSAY_TRUSTED_WORKFLOWS="(.+)"$', page, re.MULTILINE)
    assert len(lines) == 2
    for line in lines:
        trusted = Settings.model_validate({"trusted_workflows": line}).trusted_workflows
        assert [one.partition("@")[0].rpartition("/")[2] for one in trusted] == ["validate.yml", "report.yml"]


def test_assay_is_called_the_same_everywhere():
    for page in PAGES:
        for owner in re.findall(r"([\w-]+)/assay[@/]", page.read_text("utf-8")):
            assert owner in ("OWNER", "opt", "github"), page


# ------------------------------------------------------------------ what is told


def section(heading: str) -> str:
    text = INDEX.partition(f"\n## {heading}\n")[2]
    assert text, heading
    return text.partition("\n## ")[0]


def told(heading: str, column: str) -> dict[str, str]:
    """The names in a table's first cells, and what stands beside each."""
    table = section(heading).partition(f"| {column} |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in table.splitlines()[2:]]
    return {name: row[1] for row in rows for name in re.findall(r"`([\w-]+)`", row[0])}


def default_of(given: dict[str, Any]) -> str:
    value = given.get("default", "")
    value = str(value).lower() if isinstance(value, bool) else str(value).strip()
    value = re.sub(r"^\$\{\{ (.*) \}\}$", r"\1", value)
    return f"`{value}`" if value else ""


ACTIONS = pytest.mark.parametrize(
    ("file", "inputs", "outputs"),
    [
        ("action.yml", "Inputs of the Action", "Outputs of the Action"),
        ("memory/action.yml", "Inputs of the memory action", "Inputs of the memory action"),
    ],
)


@ACTIONS
def test_every_input_and_output_of_an_action_is_told_and_no_other(file: str, inputs: str, outputs: str):
    action = read(ROOT / file)
    assert told(inputs, "input") == {name: default_of(given) for name, given in action["inputs"].items()}
    assert set(told(outputs, "output")) == set(action["outputs"])


@pytest.mark.parametrize("name", CALLED)
def test_every_input_output_and_secret_of_a_called_workflow_is_told_and_no_other(name: str):
    call = read(CALLED[name])["on"]["workflow_call"]
    heading = f"Inputs of {name}"
    assert told(heading, "input") == {key: default_of(given) for key, given in call["inputs"].items()}
    assert set(told(heading, "secret")) == set(call.get("secrets", {}))
    outputs = re.search(r"^Its outputs: (.+)\.$", section(heading), re.MULTILINE)
    assert outputs is not None
    assert set(re.findall(r"`([\w-]+)`", outputs[1])) == set(call["outputs"])


def test_the_pages_name_the_artifacts_and_jobs_as_the_workflow_does():
    jobs = read(CALLED["validate.yml"])["jobs"]
    assert set(jobs) == {"tools", "publish"}
    assert set(told("Two jobs", "job")) == set(jobs)
    assert jobs["tools"]["permissions"] == {"contents": "read"}
    assert "permissions" not in jobs["publish"], "the page says that it has what the caller grants"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_of_the_action_is_found_from_its_first(page: Path):
    assert page.name == "index.md" or f"]({page.name})" in INDEX
    assert "](action/index.md)" in (ROOT / "docs/index.md").read_text("utf-8")


def test_the_readmes_workflow_is_five_lines_and_grants_what_the_quick_start_grants(tmp_path: Path):
    (text,) = re.findall(r"^```yaml\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    shown, first = Block("README", 1, text), next(block for block in BLOCKS if block.page == "index")
    assert len(text.splitlines()) == 6, "the first one says where the file goes"
    assert shown.place == first.place
    assert shown.data["jobs"] == first.data["jobs"]
    file = tmp_path / shown.place
    file.parent.mkdir(parents=True)
    file.write_text(text)
    assert _ran("check-jsonschema", "--builtin-schema", "vendor.github-workflows", str(file)).returncode == 0
    done = _ran("zizmor", "--offline", "--no-progress", "--no-config", str(file))
    assert done.returncode == 0, done.stdout


def _written(folder: Path) -> list[str]:
    files = []
    for block in WORKFLOWS:
        file = folder / str(block) / block.place
        file.parent.mkdir(parents=True)
        file.write_text(block.text)
        files.append(str(file))
    return files


def _ran(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BIN / program, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
